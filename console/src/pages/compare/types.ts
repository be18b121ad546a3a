/** What the server tells of two channels side by side. */

import type { ExactNumber } from "../../api/exact";
import type { ExecutionStatus, Json } from "../../api/types";

export interface Entry {
  path: string[];
  kind: "added" | "removed" | "changed";
  left: Json;
  right: Json;
}

export interface Difference {
  entries: Entry[];
  truncated: boolean;
  entry_count_total: number;
  max_entries: number;
}

export interface ChannelState {
  channel_id: string;
  cursor: number | null;
  state: Json;
}

export interface ToolCall {
  id: string;
  channel_id: string;
  tool_name: string;
  status: ExecutionStatus;
  attempts: number;
  inherited: boolean;
  params: Json;
  result: Json;
  error: Json;
}

export interface ChangedCall {
  differs: string[];
  left: ToolCall;
  right: ToolCall;
}

export interface SameCall {
  tool_name: string;
  status: ExecutionStatus;
  /** One operation that ran once, for both. */
  shared: boolean;
  left_id: string;
  right_id: string;
}

export interface ToolDiff {
  left_only: Record<string, ToolCall>;
  right_only: Record<string, ToolCall>;
  changed: Record<string, ChangedCall>;
  same: Record<string, SameCall>;
  truncated: boolean;
}

export interface BlockedCall {
  key_name: string;
  tool_name: string;
  policy: string;
  cursor: number;
}

export interface SideEffects {
  ran: number;
  inherited: number;
  replayed: string[];
  blocked: BlockedCall[];
  truncated: boolean;
}

/** A sum of fractions may be written as no program would write it, such as 1.0. */
type Sum = number | ExactNumber | null;

export interface Spending {
  latency_ms: Sum;
  input_tokens: Sum;
  output_tokens: Sum;
  cost: Sum;
}

export interface Both<T> {
  left: T;
  right: T;
}

export interface Comparison extends Difference {
  left_channel_id: string;
  right_channel_id: string;
  left: ChannelState;
  right: ChannelState;
  common: ChannelState | null;
  left_diverged_at_cursor: number | null;
  right_diverged_at_cursor: number | null;
  manifest_diff: Difference;
  tool_diff: ToolDiff;
  effects: Both<SideEffects>;
  output_diff: { left: Json; right: Json; equal: boolean };
  metrics: Both<Spending> & { delta: Spending };
}
