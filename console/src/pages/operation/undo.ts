/** An effect that was taken back by hand, recorded as `undo()` of the clients would: they find it done. */

import { api, JsonText, segment } from "../../api/http";
import { literalAt, literalObject } from "../../api/literal";
import type { Execution, Json } from "../../api/types";
import type { Planned } from "../../ui/record-preview";
import { executionIdOf } from "./digests";
import type { Seen, SettledReply } from "./types";

const SUFFIX = ":undo";
const LEASE_SECONDS = 60;
/** Characters; a longer key is refused. */
export const KEY_MAX = 1_024;

export function isUndo(execution: Execution): boolean {
  return execution.key_name.endsWith(SUFFIX) && execution.tool_name.endsWith(SUFFIX);
}

/** Whether it has had an effect that somebody may take back. */
export function canBeUndone(execution: Execution): boolean {
  return execution.status === "completed" && execution.started_cursor !== null && !isUndo(execution);
}

/** The key that an undo of this effect has. */
export function undoKeyOf(effect: Execution): string {
  return effect.key_name + SUFFIX;
}

/** Of an effect, the id of its undo; of an undo, that of its effect. */
export function counterpartOf(execution: Execution): string {
  const { channel_id: channelId, key_name: key } = execution;
  const counterpart = isUndo(execution) ? key.slice(0, -SUFFIX.length) : undoKeyOf(execution);
  return executionIdOf(channelId, counterpart);
}

export type UndoStanding = "none" | "undone" | "of-earlier-effect" | "open" | "not-yet" | "hidden";

/** What the ledger knows about the undo of an effect. */
export function standingOfUndo(effect: Execution, undo: Execution | null): UndoStanding {
  if (undo === null) return "none";
  if (undo.status !== "completed") {
    return undo.status === "running" || undo.status === "ambiguous" ? "open" : "not-yet";
  }
  if (undo.redacted) return "hidden";
  return member(undo.params, "undoes") === effect.completed_event_id ? "undone" : "of-earlier-effect";
}

function member(value: Json, name: string): Json | undefined {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? value[name] : undefined;
}

/** The params of the undo: which effect, and what a compensation would have been given. */
export function paramsOfUndo({ execution, text }: Seen): string {
  return literalObject({
    undoes: JSON.stringify(execution.completed_event_id),
    params: literalAt(text, "execution", "params") ?? "null",
    result: literalAt(text, "execution", "result") ?? "null",
  });
}

export interface ByHand {
  by: string;
  note: string;
}

export function resultOfUndo({ by, note }: ByHand): string {
  return JSON.stringify({ undone_by: by.trim(), note: note.trim() });
}

export function plannedUndo(seen: Seen, said: ByHand): Planned[] {
  const { key_name: key, tool_name: tool } = seen.execution;
  const named = { key_name: JSON.stringify(key + SUFFIX), tool_name: JSON.stringify(tool + SUFFIX) };
  return [
    { type: "tool.started", body: literalObject({ ...named, params: paramsOfUndo(seen) }) },
    { type: "tool.completed", body: literalObject({ ...named, result: resultOfUndo(said) }) },
  ];
}

interface ClaimReply {
  status: "claimed" | "reclaimed" | "replayed" | "in_progress";
  execution: Execution;
  claim_token: string | null;
}

/**
 * Claim the undo and complete it. Repeated with the same attempt it is the same; cut off in between, nobody
 * gets it before somebody says what happened, so no compensation runs after what was done by hand.
 */
export async function recordUndone(seen: Seen, said: ByHand, attemptId: string): Promise<string> {
  const { channel_id: channelId, key_name: key, tool_name: tool } = seen.execution;
  const claim = await api.post<ClaimReply>(
    "/api/v1/executions/claim",
    new JsonText(
      literalObject({
        channel_id: JSON.stringify(channelId),
        key_name: JSON.stringify(key + SUFFIX),
        tool_name: JSON.stringify(tool + SUFFIX),
        params: paramsOfUndo(seen),
        dedup_fields: '["undoes"]',
        lease_seconds: String(LEASE_SECONDS),
        on_lapse: '"ambiguous"',
        actor: JSON.stringify(said.by.trim()),
        attempt_id: JSON.stringify(attemptId),
      }),
    ),
  );
  if (claim.status === "replayed") return "It had been undone already; that record stays.";
  if (claim.claim_token === null) {
    throw new Error("Somebody is undoing it at this moment, so nothing was recorded. See its operation.");
  }
  await api.post<SettledReply>(
    `/api/v1/executions/${segment(claim.execution.id)}/complete`,
    new JsonText(
      literalObject({ claim_token: JSON.stringify(claim.claim_token), result: resultOfUndo(said) }),
    ),
  );
  return `Recorded as undone by ${said.by.trim()}. An undo of this run finds it done, and leaves it alone.`;
}

/** What undoes it with its compensation, and with it all that the run completed later. */
export function undoCommand(execution: Execution): string {
  const before = Math.max(0, (execution.completed_cursor ?? 1) - 1);
  return `actae undo ${execution.channel_id} --to-cursor ${before} --module MODULE:NAME`;
}
