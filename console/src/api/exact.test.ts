import { describe, expect, it } from "vitest";
import { ExactNumber, isBranch, keepExact, keepWritten, parseJson, parseWritten } from "./exact";

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

it.each([
  ["1.0", true],
  ["42.50", true],
  ["1e999", true],
  ["-0", true],
  ["1E2", true],
  ["42.5", false],
  ["-7", false],
])("keeps %s as it is written: %s", (source, expected) => {
  const value = keepWritten("", Number(source), { source });
  expect(value instanceof ExactNumber).toBe(expected);
  expect(String(value)).toBe(source);
  expect(keepWritten("", source, { source: `"${source}"` })).toBe(source);
});

it("leaves whole numbers to those who count with them", () => {
  expect(parseWritten('{"cursor":12,"payload":{"attempt":2}}')).toEqual({
    cursor: 12,
    payload: { attempt: 2 },
  });
});
