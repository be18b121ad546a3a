/** How the server is doing, as it tells it. A null in a series is a gap: nothing happened, or nobody looked. */

export type Samples = (number | null)[];

export interface Series {
  times: number[];
  requests_per_second: Samples;
  claims_per_second: Samples;
  events_per_second: Samples;
  batch_milliseconds_p50: Samples;
  batch_milliseconds_p99: Samples;
  batch_asks: Samples;
  writer_waiting: Samples;
  pool_active: Samples;
  stream_lag: Samples;
  subscribers: Samples;
  memory_bytes: Samples;
}

export interface Attention {
  kind: string;
  count: number;
  oldest_seconds: number | null;
  text: string;
  /** A page of the console, where one tells more. */
  href: string | null;
}

export interface TableSize {
  name: string;
  bytes: number;
  rows: number | null;
}

export interface HealthReply {
  at: string;
  interval_seconds: number;
  series: Series;
  attention: Attention[];
  sizes: { database_bytes: number; tables: TableSize[] } | null;
  server: { version: string; instance_id: string; uptime_seconds: number; workers: number };
}

export interface Guard {
  guard_id: string;
  kind: "freeze" | "budget" | "near_duplicate";
  tool_name: string | null;
  channel_pattern: string | null;
  created_by: string;
  created_at: string;
  reason?: string | null;
  limit?: number;
  field?: string | null;
  window_seconds?: number | null;
  per_channel?: boolean;
  uses?: { channel_id: string | null; used: number; window_ends_at: string | null }[];
  action?: "warn" | "block" | "ask";
  across_channels?: boolean;
}
