import { describe, expect, it } from "vitest";
import type { Execution } from "../../api/types";
import { counterpartOf, paramsOfUndo, standingOfUndo, undoCommand } from "./undo";

const effect = {
  id: "run~1",
  channel_id: "run",
  key_name: "book:hotel",
  tool_name: "book",
  status: "completed",
  completed_cursor: 7,
  completed_event_id: "event-7",
} as Execution;

function undo(rest: Partial<Execution>): Execution {
  return { key_name: "book:hotel:undo", tool_name: "book:undo", channel_id: "run", ...rest } as Execution;
}

it("hands on params and result as they were written", () => {
  const text = '{"execution":{"params":{"id": 12345678901234567890},"result":1.50},"late_evidence":[]}';
  expect(paramsOfUndo({ execution: effect, evidence: [], text })).toBe(
    '{"undoes":"event-7","params":{"id": 12345678901234567890},"result":1.50}',
  );
});

describe("standingOfUndo", () => {
  it.each<[Execution | null, string]>([
    [null, "none"],
    [undo({ status: "completed", params: { undoes: "event-7" } }), "undone"],
    [undo({ status: "completed", params: { undoes: "event-3" } }), "of-earlier-effect"],
    [undo({ status: "completed", params: null, redacted: true }), "hidden"],
    [undo({ status: "running", params: null }), "open"],
    [undo({ status: "ambiguous", params: null }), "open"],
    [undo({ status: "failed", params: null }), "not-yet"],
  ])("%#", (known, expected) => {
    expect(standingOfUndo(effect, known)).toBe(expected);
  });
});

it("finds the undo of an effect, and the effect of an undo", () => {
  const there = counterpartOf(effect);
  expect(there).toMatch(/^run~[0-9a-f]{32}$/);
  const other = undo({});
  expect(counterpartOf(other)).not.toBe(there);
  expect(counterpartOf(other)).toBe(counterpartOf({ ...other, key_name: "book:hotel:undo" }));
});

it("undoes what was completed after the event before it", () => {
  expect(undoCommand(effect)).toBe("actae undo run --to-cursor 6 --module MODULE:NAME");
});
