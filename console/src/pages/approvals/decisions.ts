/** Deciding: an event on the request's channel, and what became of it when others decide as well. */

import { api, RefusedForGood } from "../../api/http";
import type { Event } from "../../api/types";
import type { Approval, ApprovalsReply, Decision } from "./types";

export interface Answer {
  decision: Decision;
  by: string;
  reason: string;
}

export function payloadOf(approval: Approval, answer: Answer): Record<string, string> {
  const reason = answer.reason.trim();
  return {
    request_id: approval.request_id,
    decision: answer.decision,
    ...(reason !== "" && { reason }),
  };
}

/** Whether an answer still changes something: a question that waits, or a yes that is taken back. */
export function mayDecide(approval: Approval, decision: Decision): boolean {
  return approval.status === "pending" || (approval.status === "approved" && decision === "rejected");
}

/** Somebody decided while it was looked at, and this answer would change that: it is asked for once more. */
export class ChangedMeanwhile extends Error {
  constructor(
    /** How it stands now. */
    readonly approval: Approval,
  ) {
    super(`${approval.decided_by ?? "Somebody"} approved it while you looked. Nothing was recorded.`);
  }
}

/**
 * Record the answer; what it came to, in a sentence. Raises, with nothing recorded, when somebody has decided
 * since the question was looked at: ChangedMeanwhile where an answer would still change something.
 */
export async function decide(approval: Approval, answer: Answer, operationId: string): Promise<string> {
  const before = await lookAt(approval);
  // After a lost reply it is our own answer that is found, and sent again it is the same event.
  const isOurs = before.decided_by === answer.by.trim() && before.status === answer.decision;
  if (!mayDecide(before, answer.decision) && !isOurs) {
    throw new RefusedForGood(409, "unknown", `${toldBy(before)} Nothing was recorded.`);
  }
  if (before.status !== approval.status && !isOurs) throw new ChangedMeanwhile(before);
  const { event } = await api.post<{ event: Event }>("/api/v1/events/record", {
    channel_id: approval.channel_id,
    event_type: "approval.decided",
    payload: payloadOf(approval, answer),
    metadata: { actor: answer.by.trim() },
    operation_id: operationId,
  });
  return outcomeOf(await lookAt(approval), answer, event.cursor);
}

/** What the log made of an answer at a cursor. */
export function outcomeOf(after: Approval, answer: Answer, cursor: number): string {
  const by = answer.by.trim();
  if (after.decided_cursor === cursor && after.status === answer.decision) {
    if (answer.decision === "rejected") return `Rejected by ${by}: it will not be run under this request.`;
    return after.operation === null
      ? `Approved by ${by}. Whoever asked reads the answer.`
      : `Approved by ${by}: ${after.operation.key_name} may be run, as it was asked about.`;
  }
  if (after.status === answer.decision)
    return `${toldBy(after)} Your answer, the same, is in the log as well.`;
  return `${toldBy(after)} Your answer is in the log, and changes nothing.`;
}

/** How a request stands, and by whom. */
export function toldBy(approval: Approval): string {
  const who = approval.decided_by ?? "Somebody";
  switch (approval.status) {
    case "approved":
      return `${who} had approved it before you.`;
    case "rejected":
      return `${who} had rejected it before you, and a no stays.`;
    case "expired":
      return "Its time was over before you answered.";
    case "superseded":
      return "Somebody was asked about this key anew: answer that question.";
    case "pending":
      return "It still waits for an answer.";
  }
}

async function lookAt(approval: Approval): Promise<Approval> {
  const { approvals } = await api.getWritten<ApprovalsReply>("/api/v1/approvals", {
    channel_id: approval.channel_id,
    request_id: approval.request_id,
  });
  return approvals[0] ?? approval;
}

/** What an answer binds, in words. */
export function bindingOf({ operation, approval_fields: fields }: Approval): string {
  if (operation === null) {
    return "The answer is bound to no operation: whoever asked reads it, and acts on it.";
  }
  if (fields === null) return "All params bind: nothing else may be run under this answer.";
  const names = fields.join(", ");
  return `Only ${names} ${fields.length === 1 ? "binds" : "bind"}: every other param may differ from what is shown.`;
}
