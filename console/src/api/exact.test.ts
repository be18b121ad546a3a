import { describe, expect, it } from "vitest";
import { ExactNumber, isBranch, keepExact, parseJson } from "./exact";

describe("keepExact", () => {
  it.each([
    ["12345678901234567890", true],
    ["-9007199254740993", true],
    ["0.12345678901234567890", true],
    ["9007199254740991", false],
    ["42.50", false],
    ["1e3", false],
    ["1.0e-300", false],
  ])("of %s is exact: %s", (source, expected) => {
    const value = keepExact("", Number(source), { source });
    expect(value instanceof ExactNumber).toBe(expected);
    expect(expected ? String(value) : value).toBe(expected ? source : Number(source));
  });

  it("leaves texts, and browsers that cannot tell", () => {
    expect(keepExact("", "12345678901234567890", { source: '"12345678901234567890"' })).toBe(
      "12345678901234567890",
    );
    expect(keepExact("", 1e20)).toBe(1e20);
  });
});

it("is no object to look into", () => {
  expect([new ExactNumber("1"), null, "a", {}, []].map(isBranch)).toEqual([false, false, false, true, true]);
});

it("reads everything else as ever", () => {
  expect(parseJson('{"id":"0123456789abcdef0123456789012345","n":[1,2.5]}')).toEqual({
    id: "0123456789abcdef0123456789012345",
    n: [1, 2.5],
  });
});
