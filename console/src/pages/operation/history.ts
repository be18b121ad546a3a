/** What the log holds of one operation. No index finds it, so as much is looked through as is sensible. */

import { api, segment } from "../../api/http";
import type { Event, Execution, Json } from "../../api/types";
import type { History, Resolution } from "./types";

const PAGE = 200;
// Further apart than this, only both ends are looked at.
const REACH = 20_000;
const AROUND_FIRST_MS = 1_000;

const SEARCHED = ["tool.started", "tool.ambiguous", "tool.failed", "tool.resolved", "tool.late_evidence"];

// The console's own note: the ledger frees a key without an event.
export const CANCELLED = "operation.cancelled";

export async function readHistory(execution: Execution, signal: AbortSignal): Promise<History> {
  const { channel_id: channelId, started_cursor: latestStart, completed_cursor: end } = execution;
  if (latestStart === null) return { events: [], isWhole: true };
  const found = new Map<number, Event>();
  let isWhole = true;
  const keep = (events: Event[]) => {
    for (const it of events) if (isAbout(it, execution.id)) found.set(it.cursor, it);
  };

  const head = await headOf(channelId, signal);
  const first = execution.attempts === 1 ? latestStart : await firstStartOf(execution, signal);
  if (first === null) isWhole = false;
  const known = [latestStart, ...(end === null ? [] : [end])];
  for (const cursor of known) keep(await readOne(channelId, cursor, signal));
  const types = [
    ...SEARCHED,
    ...(execution.replay_emitted ? ["tool.replayed"] : []),
    ...(execution.status === "cancelled" ? [CANCELLED] : []),
  ];
  for (const [from, to] of rangesBetween(first ?? latestStart, head)) {
    for (const type of types) {
      const reply = await query(
        { channel_ids: [channelId], event_type: type, cursor_start: from, cursor_end: to, limit: PAGE },
        signal,
      );
      keep(reply.events);
      isWhole &&= !reply.has_more;
    }
  }
  isWhole &&= head - (first ?? latestStart) <= REACH;
  const events = [...found.values()].sort((one, other) => one.cursor - other.cursor);
  return { events, isWhole: isWhole || knowsAllAttempts(events, execution) };
}

/** One stretch, or its two ends where it is long. */
export function rangesBetween(first: number, last: number): [number, number][] {
  if (last - first <= REACH) return [[first, last]];
  return [
    [first, first + REACH / 2],
    [last - REACH / 2, last],
  ];
}

function knowsAllAttempts(events: Event[], execution: Execution): boolean {
  const isOver = execution.status === "completed";
  return isOver && events.filter((it) => it.type === "tool.started").length === execution.attempts;
}

function isAbout(event: Event, executionId: string): boolean {
  const isOfLedger = event.type.startsWith("tool.") || event.type === CANCELLED;
  return isOfLedger && event.payload.execution_id === executionId;
}

/** The first claim's event was written at the moment that the ledger knows. */
async function firstStartOf(execution: Execution, signal: AbortSignal): Promise<number | null> {
  const begun = Date.parse(execution.created_at);
  const { events } = await query(
    {
      channel_ids: [execution.channel_id],
      event_type: "tool.started",
      from: new Date(begun - AROUND_FIRST_MS).toISOString(),
      to: new Date(begun + AROUND_FIRST_MS).toISOString(),
      limit: 1_000,
    },
    signal,
  );
  const starts = events.filter((it) => isAbout(it, execution.id)).map((it) => it.cursor);
  return starts.length === 0 ? null : Math.min(...starts);
}

async function headOf(channelId: string, signal: AbortSignal): Promise<number> {
  const { latest_cursor: head } = await api.get<{ latest_cursor: number | null }>(
    `/api/v1/events/cursor/${segment(channelId)}`,
    {},
    signal,
  );
  return head ?? 0;
}

async function readOne(channelId: string, cursor: number, signal: AbortSignal): Promise<Event[]> {
  const { events } = await api.getWritten<{ events: Event[] }>(
    `/api/v1/events/replay/${segment(channelId)}`,
    { cursor: cursor - 1, limit: 1 },
    signal,
  );
  return events;
}

async function query(wanted: unknown, signal: AbortSignal): Promise<{ events: Event[]; has_more: boolean }> {
  signal.throwIfAborted();
  return api.postWritten("/api/v1/events/query", wanted);
}

/** What people have said of the operation, the latest first. */
export function resolutionsOf(events: Event[]): Resolution[] {
  return events
    .filter((it) => it.type === "tool.resolved")
    .map((it) => ({
      cursor: it.cursor,
      at: it.timestamp,
      by: text(it.payload.by) ?? it.actor,
      outcome: text(it.payload.outcome) ?? "",
      reason: text(it.payload.reason),
      evidence: it.payload.evidence ?? null,
      redacted: it.redacted === true,
    }))
    .reverse();
}

/** The fields of the params that make the operation what it is; null is all, undefined where nobody can tell. */
export function fingerprintFieldsOf(events: Event[]): string[] | null | undefined {
  const started = events.filter((it) => it.type === "tool.started").at(-1);
  if (started === undefined || started.redacted) return undefined;
  const fields = started.payload.dedup_fields;
  return Array.isArray(fields) ? fields.filter((it): it is string => typeof it === "string") : null;
}

function text(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}
