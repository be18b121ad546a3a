/** What the ledger shows: the open questions apart from each other, and everything else. */

import type { Execution } from "../../api/types";
import { type Standing, standingOf } from "../../ui/status";

export const OPEN = ["ambiguous", "lapsed", "running"] as const;
export type Open = (typeof OPEN)[number];

export interface Filters {
  status: string;
  tool: string;
  key: string;
  field: string;
  value: string;
  /** As people write it: `90s`, `15m`, `2h`, `7d`. */
  older: string;
}

export type Row = Execution & { standing: Standing };

/** The server's `running` and `lapsed` overlap with what has lapsed since, or is ambiguous: each comes once. */
export function apart(lists: Record<Open | "all", Execution[]>, now: number): Record<Open | "ended", Row[]> {
  const seen = new Set<string>();
  const take = (executions: Execution[], standing: (it: Execution) => Standing, wanted?: Standing) => {
    const rows = executions.map((it) => ({ ...it, standing: standing(it) }));
    const taken = rows.filter((it) => !seen.has(it.id) && (wanted === undefined || it.standing === wanted));
    for (const it of taken) seen.add(it.id);
    return taken;
  };
  return {
    ambiguous: take(lists.ambiguous, () => "ambiguous"),
    // The server's clock has said so; the browser's may be behind.
    lapsed: take(lists.lapsed, (it) => (it.status === "running" ? "lapsed" : it.status), "lapsed"),
    running: take(lists.running, (it) => standingOf(it, now), "running"),
    ended: take(lists.all, (it) => standingOf(it, now)),
  };
}

/** What the server is asked, without the status. Null where the age is none. */
export function searchOf(filters: Filters): Record<string, string | number> | null {
  const seconds = filters.older === "" ? 0 : secondsOf(filters.older);
  if (seconds === null) return null;
  const hasField = filters.field !== "" && filters.value !== "";
  return {
    ...(filters.tool !== "" && { tool_name: filters.tool }),
    ...(filters.key !== "" && { key_prefix: filters.key }),
    ...(hasField && { field: filters.field, value: filters.value }),
    ...(seconds > 0 && { older_than_seconds: seconds }),
  };
}

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** `15m` is 900; null for what is no age. */
export function secondsOf(text: string): number | null {
  const [, amount, unit] = /^(\d{1,6})\s*([smhd])?$/.exec(text.trim()) ?? [];
  return amount === undefined ? null : Number(amount) * (UNITS[unit ?? "s"] ?? 1);
}

/** The address of the ledger with these filters. */
export function ledgerPath(filters: Partial<Filters>): string {
  const told = Object.entries(filters).filter(([, value]) => value !== "" && value !== undefined);
  return told.length === 0 ? "/ledger" : `/ledger?${new URLSearchParams(told)}`;
}

export function filtersOf(query: Record<string, string>): Filters {
  const { status = "", tool = "", key = "", field = "", value = "", older = "" } = query;
  return { status, tool, key, field, value, older };
}
