/** A resolution before it is made: what is sent, and what the log will say. */

import { compacted, indented, literalAt, literalObject } from "../../api/literal";
import type { Execution } from "../../api/types";
import { jsonTrouble } from "../../ui/json-field";
import type { Planned } from "../../ui/record-preview";
import type { Seen } from "./types";

export type Outcome = "applied" | "not_applied" | "unknown";

export interface Said {
  outcome: Outcome;
  by: string;
  /** JSON as text: what counts is what was written, digit by digit. */
  result: string;
  reason: string;
  /** JSON, or any other text. */
  evidence: string;
}

/** Whether everything is there that has to be. */
export function isComplete(said: Omit<Said, "outcome"> & { outcome: Outcome | null }): said is Said {
  if (said.outcome === null || said.by.trim() === "") return false;
  return said.outcome !== "applied" || jsonTrouble(said.result) === null;
}

function members(said: Said) {
  return {
    outcome: JSON.stringify(said.outcome),
    by: JSON.stringify(said.by.trim()),
    reason: said.reason.trim() === "" ? undefined : JSON.stringify(said.reason.trim()),
    evidence: evidenceOf(said.evidence),
  };
}

/** `attempts` are those that were looked at: about a later one this says nothing, and is refused. */
export function bodyOf(said: Said, attempts: number): string {
  const result = said.outcome === "applied" ? compacted(said.result) : undefined;
  return literalObject({ ...members(said), result, attempts: String(attempts) });
}

export function withOperationId(body: string, operationId: string): string {
  return `${body.slice(0, -1)},"operation_id":${JSON.stringify(operationId)}}`;
}

/** The events that the server will write. */
export function plannedBy(said: Said, execution: Execution): Planned[] {
  const resolved = { type: "tool.resolved", body: literalObject(members(said)) };
  if (said.outcome === "applied") {
    return [resolved, { type: "tool.completed", body: literalObject({ result: said.result.trim() }) }];
  }
  if (said.outcome === "unknown" || execution.status === "failed") return [resolved];
  const message = `Resolved as not applied by ${said.by.trim()}.`;
  return [resolved, { type: "tool.failed", body: literalObject({ message: JSON.stringify(message) }) }];
}

/** What was written, if it is JSON; else the text itself. */
function evidenceOf(text: string): string | undefined {
  const told = text.trim();
  if (told === "") return undefined;
  return jsonTrouble(told) === null ? told : JSON.stringify(told);
}

export interface Witness {
  cursor: number;
  at: string;
  result: string;
}

/** Results that workers have reported too late, the latest first, as they were sent. */
export function witnessesOf({ evidence, text }: Seen): Witness[] {
  return evidence
    .map((it, place) => ({ it, result: literalAt(text, "late_evidence", place, "value") }))
    .filter(({ it, result }) => it.says === "completed" && result !== undefined)
    .map(({ it, result }) => ({ cursor: it.cursor, at: it.recorded_at, result: indented(result ?? "null") }))
    .reverse();
}
