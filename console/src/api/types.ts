/** What the server answers, as far as the console looks at it. Times are RFC 3339 in UTC. */

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

export interface Permissions {
  observe?: string[];
  read: string[];
  write: string[];
  delete: string[];
  admin: string[];
}

export interface Session {
  name: string;
  kind: "user" | "key" | "dev";
  permissions: Permissions;
  expires_at: string | null;
  version: string;
  instance_id: string;
  is_dev: boolean;
}

export interface Effects {
  running: number;
  lapsed: number;
  ambiguous: number;
  completed: number;
  failed: number;
  cancelled: number;
  more: boolean;
}

export interface Run {
  channel_id: string;
  display_name: string | null;
  lifecycle: "open" | "frozen" | "closed";
  outcome: "promoted" | "rejected" | "inconclusive" | "crashed" | null;
  created_at: string;
  active_at: string;
  cursor: number;
  version: number;
  latest_step: number;
  source_channel_id: string | null;
  forks: number;
  effects: Effects;
  tokens: { input: number | null; output: number | null; cost: number | null; partial: boolean } | null;
  last_event: { cursor: number; event_type: string; actor: string; recorded_at: string } | null;
}

export interface RunsReply {
  runs: Run[];
  has_more: boolean;
  next?: string;
}

export interface Event {
  id: string;
  channel_id: string;
  type: string;
  payload: { [name: string]: Json };
  actor: string;
  cursor: number;
  timestamp: string;
  agent_id: string | null;
  user_id: string | null;
  metadata: { [name: string]: Json } | null;
  depends_on: string | null;
  /** The signed-in may see that it happened, and not what it says. */
  redacted?: boolean;
  /** Too large for the stream; read it by its cursor. */
  truncated?: boolean;
}

export type ExecutionStatus =
  | "running"
  | "ambiguous"
  | "completed"
  | "failed"
  | "interrupted"
  | "cancelled"
  | "expired";

export interface Execution {
  id: string;
  channel_id: string;
  key_name: string;
  tool_name: string;
  status: ExecutionStatus;
  attempts: number;
  lease_until: string | null;
  started_cursor: number | null;
  completed_cursor: number | null;
  started_event_id: string | null;
  completed_event_id: string | null;
  replay_emitted: boolean;
  params: Json;
  result: Json;
  error: Json;
  created_at: string;
  updated_at: string;
  completed_at: string | null;
  on_lapse?: "ambiguous";
  expires_at?: string;
  redacted?: boolean;
}

export interface LateEvidence {
  says: "completed" | "failed";
  cursor: number;
  event_id: string;
  recorded_at: string;
  value: Json;
}

export interface ExecutionsReply {
  executions: Execution[];
  has_more: boolean;
  next?: string;
}

export interface ExecutionReply {
  execution: Execution;
  late_evidence: LateEvidence[];
}

export interface VersionSummary {
  version: number;
  cursor: number;
  timestamp: string;
}

export interface Snapshot {
  cursor: number | null;
  state?: Json;
  version?: number;
  timestamp?: string;
}

export interface ChannelMetadata {
  channel_id: string;
  parent_channel_id: string | null;
  origin_run_id: string;
  forked_at_cursor: number;
  forked_at: string;
  display_name: string | null;
  reason: string | null;
  experiment_metadata: Json;
}
