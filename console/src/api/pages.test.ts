import { describe, expect, it } from "vitest";
import { refreshed } from "./pages";

describe("refreshed", () => {
  it.each([
    ["what is there no more goes, where one page was loaded", "abc", "ac", true, "ac"],
    ["nothing is left", "abc", "", true, ""],
    ["later pages stay", "abcde", "abc", false, "abcde"],
    ["what moved up comes once", "abcde", "eab", false, "eabcd"],
    ["what the first page should hold and does not is gone", "abcde", "acd", false, "acde"],
    ["all is new", "abc", "xyz", false, "xyzabc"],
  ])("%s", (_, before, page, isOnlyPage, expected) => {
    expect(refreshed([...before], [...page], isOnlyPage, (it) => it).join("")).toBe(expected);
  });
});
