import { expect, it } from "vitest";
import { span } from "./time";

it.each([
  [0, "0 ms"],
  [870.4, "870 ms"],
  [1_000, "1 s"],
  [9_960, "10 s"],
  [12_400, "12 s"],
  [59_400, "59 s"],
  [59_600, "1 min"],
  [3_600_000, "1 h"],
  [7_500_000, "2 h 5 min"],
  [3_599_000, "1 h"],
  [4 * 86_400_000, "4 d"],
])("%d ms are %s", (ms, text) => {
  expect(span(ms)).toBe(text);
});
