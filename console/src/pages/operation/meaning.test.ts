import { describe, expect, it } from "vitest";
import type { Execution } from "../../api/types";
import { type Known, mayBeResolved, meaningOf } from "./meaning";
import type { Resolution } from "./types";

const NOW = Date.UTC(2026, 0, 1, 12);

function known(row: Partial<Execution>, rest: Partial<Known> = {}): Known {
  const execution = { tool_name: "charge", attempts: 1, lease_until: null, completed_cursor: null, ...row };
  return {
    execution: execution as Execution,
    evidence: [],
    resolutions: [],
    owner: "worker-a",
    isGivenUp: false,
    isUndone: false,
    ...rest,
  };
}

const live = new Date(NOW + 30_000).toISOString();
const over = new Date(NOW - 30_000).toISOString();
const resolved = (outcome: string, cursor: number) => ({ outcome, cursor, by: "Ada" }) as Resolution;
const late = { says: "completed" } as Known["evidence"][number];

describe("meaningOf", () => {
  it.each<[string, Known, string, string]>([
    ["a live lease", known({ status: "running", lease_until: live }), "worker-a is at it", "charge again"],
    [
      "a live lease that leaves a question",
      known({ status: "running", lease_until: live, on_lapse: "ambiguous" }),
      "worker-a is at it",
      "before somebody says",
    ],
    ["a lapse", known({ status: "running", lease_until: over }), "fell silent", "charge again"],
    [
      "a lost worker",
      known({ status: "ambiguous" }),
      "was lost after it may have called charge",
      "Nobody gets",
    ],
    [
      "a worker in doubt",
      known({ status: "ambiguous" }, { isGivenUp: true }),
      "could not tell",
      "provider's books",
    ],
    ["a late witness", known({ status: "ambiguous" }, { evidence: [late] }), "was lost", "late evidence"],
    ["a result", known({ status: "completed", completed_cursor: 9 }), "It is done", "not called again"],
    [
      "a result that a person knew",
      known({ status: "completed", completed_cursor: 9 }, { resolutions: [resolved("applied", 8)] }),
      "Ada has looked, and recorded that it is done",
      "not called again",
    ],
    [
      "a result that was taken back",
      known({ status: "completed", completed_cursor: 9 }, { isUndone: true }),
      "undone since",
      "not called again",
    ],
    ["a failure", known({ status: "failed", completed_cursor: 9 }), "attempt 1 failed", "charge again"],
    [
      "no effect, says a person",
      known({ status: "failed", completed_cursor: 9 }, { resolutions: [resolved("not_applied", 8)] }),
      "Ada has looked, and recorded that it had no effect",
      "charge again",
    ],
    [
      "a failure after what a person said of an earlier attempt",
      known({ status: "failed", completed_cursor: 9 }, { resolutions: [resolved("not_applied", 3)] }),
      "attempt 1 failed",
      "charge again",
    ],
    ["no owner", known({ status: "ambiguous" }, { owner: null }), "A worker was lost", "Nobody gets"],
    ["an operation that was given back", known({ status: "cancelled" }), "given up", "charge again"],
  ])("tells of %s", (_, told, first, second) => {
    const { known: what, next } = meaningOf(told, NOW);
    expect(what).toContain(first);
    expect(next).toContain(second);
  });
});

it.each<[Execution["status"], string | null, boolean]>([
  ["ambiguous", over, true],
  ["running", over, true],
  ["running", live, false],
  ["failed", null, true],
  ["cancelled", null, true],
  ["completed", null, false],
])("may be resolved: %s until %s is %s", (status, lease_until, expected) => {
  expect(mayBeResolved({ status, lease_until } as Execution, NOW)).toBe(expected);
});
