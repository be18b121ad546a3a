import type { Json } from "../../api/types";

export type ApprovalStatus = "pending" | "approved" | "rejected" | "expired" | "superseded";

export interface ApprovalOperation {
  key_name: string;
  tool_name: string;
  params?: Json;
  dedup_fields?: string[] | null;
}

export interface Approval {
  request_id: string;
  channel_id: string;
  status: ApprovalStatus;
  summary: Json;
  details: Json;
  /** What the answer is bound to; null where it is bound to nothing. */
  operation: ApprovalOperation | null;
  /** The params that bind; null says all of them. */
  approval_fields: string[] | null;
  requester: string;
  requested_at: string;
  requested_cursor: number;
  requested_event_id: string;
  expires_at: string | null;
  decided_by: string | null;
  decided_at: string | null;
  decided_cursor: number | null;
  reason: Json;
  redacted?: boolean;
}

export interface ApprovalsReply {
  approvals: Approval[];
  has_more: boolean;
}

export type Decision = "approved" | "rejected";
