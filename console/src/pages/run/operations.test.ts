import { describe, expect, it } from "vitest";
import type { Event, Execution } from "../../api/types";
import { byUrgency, operationsOf, standing } from "./operations";

let cursor = 0;

function event(type: string, key: string, attempt: number, actor = "worker-a"): Event {
  cursor += 1;
  return {
    id: `event-${cursor}`,
    channel_id: "run",
    type,
    payload: { execution_id: `run~${key}`, key_name: key, tool_name: "charge", attempt },
    actor,
    cursor,
    timestamp: new Date(Date.UTC(2026, 0, 1, 12, 0, cursor)).toISOString(),
    agent_id: null,
    user_id: null,
    metadata: null,
    depends_on: null,
  };
}

function row(key: string, status: Execution["status"], leaseUntil: string | null = null): Execution {
  return {
    id: `run~${key}`,
    status,
    lease_until: leaseUntil,
    updated_at: "2026-01-01T12:00:09Z",
    completed_at: null,
  } as Execution;
}

describe("operationsOf", () => {
  it("draws one attempt from its start to its end", () => {
    const [operation] = operationsOf([event("tool.started", "a", 1), event("tool.completed", "a", 1)]);
    expect(operation?.attempts).toMatchObject([{ number: 1, owner: "worker-a", ending: "completed" }]);
  });

  it("ends an attempt where the next one takes over", () => {
    const events = [
      event("tool.started", "a", 1),
      event("tool.started", "a", 2, "worker-b"),
      event("tool.completed", "a", 2),
    ];
    const [operation] = operationsOf(events);
    expect(operation?.attempts.map((it) => [it.owner, it.ending, it.endedCursor])).toEqual([
      ["worker-a", "taken-over", events[1]?.cursor],
      ["worker-b", "completed", events[2]?.cursor],
    ]);
  });

  it("knows an end whose beginning is not loaded", () => {
    const [operation] = operationsOf([event("tool.failed", "a", 3)]);
    expect(operation?.attempts).toMatchObject([{ number: 3, startedCursor: null, ending: "failed" }]);
  });

  it("marks replays, resolutions and late evidence", () => {
    const [operation] = operationsOf([
      event("tool.started", "a", 1),
      event("tool.ambiguous", "a", 1),
      event("tool.late_evidence", "a", 1),
      event("tool.resolved", "a", 1, "Ada"),
      event("tool.replayed", "a", 1),
    ]);
    expect(operation?.marks.map((it) => [it.kind, it.by])).toEqual([
      ["late_evidence", "worker-a"],
      ["resolved", "Ada"],
      ["replayed", "worker-a"],
    ]);
  });

  it("passes by what only looks like the ledger's", () => {
    const stranger = { ...event("tool.started", "a", 1), payload: { execution_id: 7 } };
    expect(operationsOf([stranger, event("note", "a", 1)])).toEqual([]);
  });

  it("ends the attempt of a cancelled row", () => {
    const [operation] = operationsOf([event("tool.started", "a", 1)], [row("a", "cancelled")]);
    expect(operation?.attempts[0]).toMatchObject({ ending: "cancelled", endedAt: "2026-01-01T12:00:09Z" });
  });
});

describe("standing", () => {
  const now = Date.UTC(2026, 0, 1, 12, 1);

  it.each([
    ["2026-01-01T12:02:00Z", "running"],
    ["2026-01-01T12:00:30Z", "lapsed"],
  ])("of a lease until %s is %s", (leaseUntil, expected) => {
    const [operation] = operationsOf([event("tool.started", "a", 1)], [row("a", "running", leaseUntil)]);
    expect(operation && standing(operation, now)).toBe(expected);
  });

  it("puts what is open first and keeps the order otherwise", () => {
    const events = ["done", "unknown", "also-done"].flatMap((key) => [
      event("tool.started", key, 1),
      event("tool.completed", key, 1),
    ]);
    const operations = operationsOf(events, [row("unknown", "ambiguous")]);
    expect(byUrgency(operations, now).map((it) => it.key)).toEqual(["unknown", "done", "also-done"]);
  });
});
