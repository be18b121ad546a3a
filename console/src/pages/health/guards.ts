/** Guards in words, and how full a budget is. */

import { count, span } from "../../ui/time";
import type { Guard } from "./types";

/** Whom a guard is for. */
export function tellTarget(guard: Guard): string {
  const tool = guard.tool_name ?? "every tool";
  return guard.channel_pattern === null ? `${tool}, on every run` : `${tool}, on ${guard.channel_pattern}`;
}

/** What it does. */
export function tellGuard(guard: Guard): string {
  switch (guard.kind) {
    case "freeze":
      return guard.reason ? `Nothing starts: ${guard.reason}` : "Nothing starts.";
    case "budget": {
      const what = guard.field ? `of ${guard.field}` : "new operations";
      const when = guard.window_seconds ? `in ${span(guard.window_seconds * 1_000)}` : "altogether";
      return `At most ${amount(guard.limit ?? 0)} ${what} ${when}${guard.per_channel ? ", each run" : ""}.`;
    }
    case "near_duplicate": {
      const what = { warn: "is told of", block: "is refused", ask: "waits for approval" };
      const where = guard.across_channels ? "on any of these runs" : "on one run";
      return `The same call under another key ${what[guard.action ?? "block"]}, ${where} within ${span((guard.window_seconds ?? 0) * 1_000)}.`;
    }
  }
}

export interface UsedPart {
  of: string;
  words: string;
  part: number;
  endsAt: string | null;
}

/** What is used of a budget, the fullest first. */
export function usesOf(guard: Guard): UsedPart[] {
  const limit = guard.limit ?? 0;
  return (guard.uses ?? [])
    .map((it) => ({
      of: it.channel_id ?? "all together",
      words: `${amount(it.used)} of ${amount(limit)}`,
      part: limit > 0 ? Math.min(1, it.used / limit) : 1,
      endsAt: it.window_ends_at,
    }))
    .sort((one, other) => other.part - one.part);
}

const amount = (value: number) =>
  Number.isInteger(value) ? count(value) : value.toLocaleString("en", { maximumFractionDigits: 4 });
