import type { Event, Execution, Json, LateEvidence } from "../../api/types";

/** An operation as it was read, with its reply as text beside it: for numbers that JavaScript cannot hold. */
export interface Seen {
  execution: Execution;
  evidence: LateEvidence[];
  text: string;
}

/** What happened to an operation, in order. Not whole where its run is too long to look through. */
export interface History {
  events: Event[];
  isWhole: boolean;
}

export interface Resolution {
  cursor: number;
  at: string;
  by: string;
  outcome: string;
  reason: string | null;
  evidence: Json;
  redacted: boolean;
}

export interface SettledReply {
  status: Execution["status"];
  execution: Execution;
}
