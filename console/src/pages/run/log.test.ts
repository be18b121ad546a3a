import { expect, it } from "vitest";
import type { Event } from "../../api/types";
import { gistOf } from "./log";

const event = (type: string, payload: Event["payload"], redacted = false) =>
  ({ type, payload, redacted }) as Event;

it.each([
  [event("tool.started", { key_name: "refund:82", attempt: 1 }), ["refund:82"]],
  [event("tool.started", { key_name: "refund:82", attempt: 2 }), ["refund:82", "· attempt 2"]],
  [event("note", { to: "a", lines: [1, 2], more: {} }), ["to: a", "lines: [2]", "more: {…}"]],
  [event("note", {}, true), ["(content not shown)"]],
  [event("note", {}), []],
])("tells what an event is about in parts (%#)", (it, expected) => {
  expect(gistOf(it)).toEqual(expected);
});

it("keeps a line short", () => {
  const names = Array.from({ length: 40 }, (_, at) => [`n${at}`, "x".repeat(500)]);
  const parts = gistOf(event("note", Object.fromEntries(names)));
  expect(parts.length).toBe(12);
  expect(Math.max(...parts.map((it) => it.length))).toBeLessThan(130);
});
