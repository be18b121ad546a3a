import { describe as about, expect, it } from "vitest";
import { bytes, describe, extentOf, isolated, tell, timesOf, topOf } from "./figures";

about("figures of health", () => {
  it.each([
    [0, "0 B"],
    [812, "812 B"],
    [4_200_000, "4.2 MB"],
    [999_600, "1.0 MB"],
    [64_000_000_000, "64 GB"],
  ])("%d bytes are %s", (value, told) => expect(bytes(value)).toBe(told));

  it.each([
    [0.0312, "per second", "0.031/s"],
    [1234.4, "per second", "1,234/s"],
    [0, "number", "0"],
    [4.5678, "milliseconds", "4.57 ms"],
    [1500, "milliseconds", "1.5 s"],
  ] as const)("%d as %s is %s", (value, unit, told) => expect(tell(value, unit)).toBe(told));

  it("looks over gaps", () => {
    expect(extentOf([null, 3, 1, null, 2])).toEqual({ latest: 2, lowest: 1, highest: 3 });
    expect(extentOf([1, null])).toEqual({ latest: null, lowest: 1, highest: 1 });
    expect(extentOf([null])).toBeNull();
    expect(isolated([1, null, 2, null, 3, 4, null, 5])).toEqual([0, 2, 7]);
  });

  it("tells a plot to those who do not see it", () => {
    expect(describe("claims", [2, 0.5, 1], "per second")).toBe("claims: 1/s now, lowest 0.5/s, highest 2/s");
    expect(describe("claims", [2, null], "per second")).toBe("claims: nothing now, lowest 2/s, highest 2/s");
    expect(describe("claims", [], "per second")).toBe("claims: nothing measured");
  });

  it.each([
    [null, 1],
    [0, 1],
    [0.9, 1],
    [1, 1.5],
    [97, 150],
    [94, 100],
    [6_200, 7_500],
  ])("an axis with %s on it ends at %d", (highest, top) => expect(topOf(highest)).toBeCloseTo(top));
});

it.each([
  [
    [0, 60, 120],
    ["00:00", "01:00", "02:00"],
  ],
  [
    [0, 30, 60],
    ["00:00", "00:30", "01:00"],
  ],
  [[], []],
])("tells the times of %j", (moments, minutesAndSeconds) => {
  // In whatever zone the machine is: the minutes and seconds.
  const told = timesOf(moments).map((it) => (it.length === 5 ? `${it.slice(3)}:00` : it.slice(3)));
  expect(told).toEqual(minutesAndSeconds);
});
