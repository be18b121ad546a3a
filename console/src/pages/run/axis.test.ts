import { describe, expect, it } from "vitest";
import type { Event } from "../../api/types";
import { axisOver } from "./axis";

const at = (cursor: number, seconds: number) =>
  ({ cursor, timestamp: new Date(seconds * 1_000).toISOString() }) as Event;

// A burst, a pause of ninety seconds, and one more.
const EVENTS = [at(11, 100), at(12, 101), at(13, 110), at(14, 200)];

describe("axisOver", () => {
  it("spreads by time", () => {
    const axis = axisOver(EVENTS, "time", null);
    expect([11, 13, 14].map(axis.atCursor)).toEqual([0, 0.1, 1]);
    expect(axis.atTime(150_000)).toBe(0.5);
  });

  it("spreads by order, moments between their neighbours", () => {
    const axis = axisOver(EVENTS, "order", null);
    expect([11, 13, 14].map(axis.atCursor)).toEqual([0, 2 / 3, 1]);
    expect(axis.atTime(150_000)).toBe(1);
  });

  it("reaches to now while something is open", () => {
    const axis = axisOver(EVENTS, "time", 300_000);
    expect(axis.atCursor(14)).toBe(0.5);
    expect(axis.atTime(300_000)).toBe(1);
  });

  it("keeps what is outside at the edges", () => {
    const axis = axisOver(EVENTS, "time", null);
    expect([axis.atTime(0), axis.atTime(999_000), axis.atCursor(3), axis.atCursor(99)]).toEqual([0, 1, 0, 1]);
  });

  it("has no width for one event, and none for none", () => {
    expect(axisOver([at(1, 5)], "time", null).atCursor(1)).toBe(0);
    expect(axisOver([], "order", null).atCursor(1)).toBe(0);
  });
});
