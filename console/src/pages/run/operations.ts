/** What the log tells of each operation: its attempts, who made them, and how each one ended. */

import type { Event, Execution, Json } from "../../api/types";
import { type Standing, standingOf } from "../../ui/status";

export type Ending = "completed" | "failed" | "ambiguous" | "taken-over" | "cancelled";

export interface Attempt {
  number: number;
  owner: string;
  /** Null where it began before the part of the log that is loaded. */
  startedAt: string | null;
  startedCursor: number | null;
  endedAt: string | null;
  endedCursor: number | null;
  /** Null while it goes on. */
  ending: Ending | null;
}

export interface Mark {
  kind: "replayed" | "resolved" | "late_evidence" | "blocked" | "near_duplicate";
  at: string;
  cursor: number;
  by: string;
}

export interface Operation {
  id: string;
  key: string;
  tool: string;
  attempts: Attempt[];
  marks: Mark[];
  /** The row of the ledger, where it was asked for. */
  row: Execution | null;
}

const ENDINGS: Record<string, Ending> = {
  "tool.completed": "completed",
  "tool.failed": "failed",
  "tool.ambiguous": "ambiguous",
};
const MARKS: Record<string, Mark["kind"]> = {
  "tool.replayed": "replayed",
  "tool.resolved": "resolved",
  "tool.late_evidence": "late_evidence",
  "tool.blocked": "blocked",
  "tool.near_duplicate": "near_duplicate",
};

/** In order of their first event. Events of other kinds, and such as only look like the ledger's, are passed by. */
export function operationsOf(events: Iterable<Event>, rows: Iterable<Execution> = []): Operation[] {
  const byId = new Map<string, Operation>();
  for (const event of events) {
    const id = text(event.payload.execution_id);
    if (!event.type.startsWith("tool.") || id === null) continue;
    let operation = byId.get(id);
    if (operation === undefined) {
      operation = {
        id,
        key: text(event.payload.key_name) ?? id,
        tool: text(event.payload.tool_name) ?? "",
        attempts: [],
        marks: [],
        row: null,
      };
      byId.set(id, operation);
    }
    hear(operation, event);
  }
  for (const row of rows) {
    const operation = byId.get(row.id);
    if (operation === undefined) continue;
    operation.row = row;
    const last = operation.attempts.at(-1);
    // A cancelled operation has no event of its own.
    if (row.status === "cancelled" && last !== undefined && last.ending === null) {
      Object.assign(last, { ending: "cancelled", endedAt: row.completed_at ?? row.updated_at });
    }
  }
  return [...byId.values()];
}

function hear(operation: Operation, event: Event): void {
  const number =
    typeof event.payload.attempt === "number" ? event.payload.attempt : operation.attempts.length;
  if (event.type === "tool.started") {
    const before = operation.attempts.at(-1);
    if (before !== undefined && before.ending === null) {
      Object.assign(before, { ending: "taken-over", endedAt: event.timestamp, endedCursor: event.cursor });
    }
    operation.attempts.push({
      number,
      owner: event.actor,
      startedAt: event.timestamp,
      startedCursor: event.cursor,
      endedAt: null,
      endedCursor: null,
      ending: null,
    });
    return;
  }
  const ending = ENDINGS[event.type];
  if (ending !== undefined) {
    let attempt = operation.attempts.find((it) => it.number === number);
    if (attempt === undefined) {
      attempt = {
        number,
        owner: event.actor,
        startedAt: null,
        startedCursor: null,
        endedAt: null,
        endedCursor: null,
        ending: null,
      };
      operation.attempts.push(attempt);
    }
    Object.assign(attempt, { ending, endedAt: event.timestamp, endedCursor: event.cursor });
    return;
  }
  const kind = MARKS[event.type];
  if (kind !== undefined)
    operation.marks.push({ kind, at: event.timestamp, cursor: event.cursor, by: event.actor });
}

function text(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}

/** How an operation stands: the ledger's row knows, and without it the last attempt tells. */
export function standing(operation: Operation, now = Date.now()): Standing {
  if (operation.row !== null) return standingOf(operation.row, now);
  const ending = operation.attempts.at(-1)?.ending ?? null;
  if (ending === null) return operation.marks.some((it) => it.kind === "replayed") ? "replayed" : "running";
  return ending === "taken-over" ? "lapsed" : ending;
}

const URGENCY: Partial<Record<Standing, number>> = { ambiguous: 0, lapsed: 1, running: 2 };

/** What is open first, the others as they came. */
export function byUrgency(operations: Operation[], now = Date.now()): Operation[] {
  const rank = (it: Operation) => URGENCY[standing(it, now)] ?? 3;
  return operations
    .map((it, at) => ({ it, at, rank: rank(it) }))
    .sort((one, other) => one.rank - other.rank || one.at - other.at)
    .map(({ it }) => it);
}
