/** What the server tells of forks. */

import type { Json } from "../../api/types";

export type Policy = "auto" | "replay" | "block" | "live";
export type Outcome = "promoted" | "rejected" | "inconclusive" | "crashed";

export interface TreeNode {
  channel_id: string;
  display_name: string | null;
  reason: string | null;
  forked_at_cursor: number;
  event_count: number;
  latest_cursor: number | null;
  children: TreeNode[];
}

export interface Metadata {
  channel_id: string;
  parent_channel_id: string | null;
  origin_run_id: string;
  forked_at_cursor: number;
  display_name: string | null;
  reason: string | null;
  outcome: Outcome | null;
  result_score: number | null;
  deleted_at: string | null;
}

export interface Receipt {
  channel_id: string;
  source_channel_id: string;
  requested_cursor: number;
  resolved_cursor: number;
  resolved_event_id: string | null;
  source_state_version: number;
  source_state_sha256: string | null;
  restorable: boolean;
  replayed: boolean;
  manifest: Json;
  reproducibility: "state_exact" | "context_exact" | "execution_replayable" | "best_effort";
  tool_policies: Record<string, Policy> | null;
  forked_at: string;
}

export interface Promoted {
  parent_channel_id: string;
  cursor: number;
  state_version: number | null;
  replayed: boolean;
}

export interface ForkBody {
  source_channel_id: string;
  new_channel_id: string;
  at_cursor: number;
  display_name?: string;
  reason?: string;
  experiment_metadata?: { forked_at_step: number };
  tool_policies?: Record<string, Policy>;
  copy_state: boolean;
}
