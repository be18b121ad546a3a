import { describe, expect, it } from "vitest";
import type { Execution, VersionSummary } from "../../api/types";
import {
  type ForkForm,
  type Known,
  NOTHING_KNOWN,
  type Place,
  readPolicies,
  refusalOfId,
  suggestId,
  tellInheritance,
  toBody,
  toolsAfter,
} from "./plan";

const PLACE: Place = { sourceId: "run-7", cursor: 14, step: 6, isByStep: true };
const FORM: ForkForm = {
  newId: " run-7.b ",
  displayName: "",
  reason: " why ",
  policies: [],
  copiesState: true,
};

const completed = (tool_name: string, completed_cursor: number) =>
  ({ tool_name, completed_cursor, status: "completed" }) as Execution;
const version = (number: number, cursor: number): VersionSummary => ({
  version: number,
  cursor,
  timestamp: "2026-01-01T00:00:00Z",
});
const KNOWN: Known = {
  versions: [version(9, 20), version(8, 12), version(7, 11)],
  executions: [completed("mail", 18), completed("mail", 17), completed("charge", 13), completed("report", 4)],
  hasMoreExecutions: false,
  parentId: null,
};

describe("toBody", () => {
  it("counts from the step that was chosen, and leaves out what was not said", () => {
    expect(toBody(PLACE, FORM)).toEqual({
      source_channel_id: "run-7",
      new_channel_id: "run-7.b",
      at_cursor: 14,
      copy_state: true,
      reason: "why",
      experiment_metadata: { forked_at_step: 6 },
    });
  });

  it("leaves the steps to the server where a cursor was chosen", () => {
    expect(toBody({ ...PLACE, isByStep: false }, FORM)).not.toHaveProperty("experiment_metadata");
  });

  it("sends the policies by tool", () => {
    const policies = [
      { tool: "mail", policy: "block" },
      { tool: " * ", policy: "replay" },
      { tool: "", policy: "live" },
    ] as const;
    expect(toBody(PLACE, { ...FORM, policies: [...policies] }).tool_policies).toEqual({
      mail: "block",
      "*": "replay",
    });
  });
});

describe("readPolicies", () => {
  it("refuses a tool with two", () => {
    const twice = [
      { tool: "mail", policy: "block" },
      { tool: "mail ", policy: "live" },
    ] as const;
    expect(readPolicies([...twice])).toEqual({ error: "“mail” has two policies." });
  });
  it("takes a tool that is named like something every object has", () => {
    const read = readPolicies([{ tool: "__proto__", policy: "block" }]);
    expect("policies" in read && Object.entries(read.policies ?? {})).toEqual([["__proto__", "block"]]);
  });
});

describe("suggestId", () => {
  it.each([
    [{ step: 6, cursor: 14 }, [], "run-7.step-6"],
    [{ step: null, cursor: 14 }, [], "run-7.at-14"],
    [{ step: null, cursor: 0 }, [], "run-7.latest"],
    [{ step: 6, cursor: 14 }, ["run-7.step-6", "run-7.step-6.2"], "run-7.step-6.3"],
  ])("names %o, with %o taken, %s", (place, taken, expected) => {
    expect(suggestId("run-7", place, taken)).toBe(expected);
  });
  it("stays an id for the longest source", () => {
    expect(refusalOfId(suggestId("x".repeat(256), { step: 123_456, cursor: 1 }, []), "x")).toBeNull();
  });
});

describe("refusalOfId", () => {
  it.each(["", ".", "..", "a b", "a/b", "ü", "x".repeat(257), "run-7"])("refuses %j", (id) => {
    expect(refusalOfId(id, "run-7")).not.toBeNull();
  });
  it("takes a channel's id", () => expect(refusalOfId("Run_7:a.b-1", "run-7")).toBeNull());
});

describe("tellInheritance", () => {
  it("says what is behind the fork, and what would run again", () => {
    expect(tellInheritance(PLACE, KNOWN, true)).toEqual({
      inherited: [
        "Steps 1–6 with their real outputs.",
        "The state as version 8 saved it, at cursor 12.",
        "The stored results of 2 operations completed by then: asked for again, they are not run again.",
      ],
      left: "Nothing after. These ran later, so the fork would run them again: mail (2 times).",
      refusal: null,
    });
  });

  it("sees that there is no state to copy", () => {
    const early = { ...PLACE, cursor: 5, step: 1 };
    expect(tellInheritance(early, KNOWN, true).refusal).toContain("at or before cursor 5");
    expect(tellInheritance(early, KNOWN, false).refusal).toBeNull();
    expect(tellInheritance(early, KNOWN, false).inherited[0]).toBe("Step 1 with its real output.");
  });

  it("takes everything at the latest state, and leaves nothing", () => {
    const told = tellInheritance({ ...PLACE, cursor: 0 }, KNOWN, true);
    expect(told.inherited[1]).toContain("version 9");
    expect(told.inherited[2]).toContain("4 operations");
    expect(told.left).toBeNull();
  });

  it("says that a fork hands on what it inherits", () => {
    const told = tellInheritance(PLACE, { ...KNOWN, parentId: "root" }, true);
    expect(told.inherited.at(-1)).toBe("The stored results that run-7 itself inherits from root.");
  });

  it("claims nothing while it knows nothing", () => {
    expect(tellInheritance({ ...PLACE, step: 0 }, NOTHING_KNOWN, true)).toEqual({
      inherited: [],
      left: null,
      refusal: null,
    });
  });
});

describe("toolsAfter", () => {
  it("counts what completed behind the place", () => {
    expect([...toolsAfter(KNOWN.executions ?? [], 12)]).toEqual([
      ["mail", 2],
      ["charge", 1],
    ]);
  });
});
