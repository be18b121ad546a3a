import { expect, it } from "vitest";
import type { Attempt } from "../run/operations";
import { tookMs } from "./took";
import type { Resolution } from "./types";

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, second)).toISOString();
const NOW = Date.parse(at(30));
const BEGUN: Attempt = {
  number: 1,
  owner: "worker",
  startedAt: at(0),
  startedCursor: 1,
  endedAt: null,
  endedCursor: null,
  ending: null,
};
const ENDED: Attempt = { ...BEGUN, endedAt: at(4), endedCursor: 9, ending: "completed" };
const PERSON = [{ cursor: 8, by: "Ada" } as Resolution];

it.each<[string, Attempt, string | null, Resolution[], number | null]>([
  ["one that goes on", BEGUN, at(40), [], 30_000],
  ["one that fell silent", BEGUN, at(1), [], null],
  ["one with no lease and no end", BEGUN, null, [], null],
  ["one that its worker ended", ENDED, null, [], 4_000],
  ["one that its worker gave up", { ...ENDED, ending: "ambiguous" }, at(4), [], 4_000],
  ["one that a person ended", ENDED, null, PERSON, null],
  ["one that another took over", { ...ENDED, ending: "taken-over" }, at(40), [], null],
  ["one whose beginning is not loaded", { ...ENDED, startedAt: null }, null, [], null],
])("%s", (_, attempt, leaseUntil, resolutions, expected) => {
  expect(tookMs(attempt, { lease_until: leaseUntil }, resolutions, NOW)).toBe(expected);
});
