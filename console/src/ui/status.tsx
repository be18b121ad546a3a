/** Statuses, each with a word, a colour and a shape: no one of them alone tells. */

import type { JSX } from "preact";
import type { Execution } from "../api/types";
import { visible } from "./visible";

export type Standing =
  | "completed"
  | "running"
  | "lapsed"
  | "ambiguous"
  | "failed"
  | "cancelled"
  | "interrupted"
  | "expired"
  | "replayed";

const SHAPES: Record<Standing, JSX.Element> = {
  completed: <circle cx="8" cy="8" r="6" fill="currentColor" />,
  running: (
    <path
      d="M8 2a6 6 0 1 1 0 12zM8 2a6 6 0 0 0 0 12"
      fill="currentColor"
      fill-rule="evenodd"
      stroke="currentColor"
      stroke-width="1.5"
      fill-opacity=".55"
    />
  ),
  lapsed: (
    <circle
      cx="8"
      cy="8"
      r="5.5"
      fill="none"
      stroke="currentColor"
      stroke-width="2.2"
      stroke-dasharray="3 2.2"
    />
  ),
  ambiguous: <path d="M8 .5 15.5 8 8 15.5.5 8z" fill="currentColor" />,
  failed: <path d="m3.5 3.5 9 9m0-9-9 9" stroke="currentColor" stroke-width="2.6" stroke-linecap="round" />,
  cancelled: (
    <path
      d="M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M4.2 11.8l7.6-7.6"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
    />
  ),
  interrupted: (
    <path d="M5.5 3v10M10.5 3v10" stroke="currentColor" stroke-width="2.6" stroke-linecap="round" />
  ),
  expired: (
    <path
      d="M4 2.5h8L8 8l4 5.5H4L8 8z"
      fill="none"
      stroke="currentColor"
      stroke-width="1.8"
      stroke-linejoin="round"
    />
  ),
  replayed: (
    <path
      d="M13 8a5 5 0 1 1-1.6-3.7M13 1.8v3.4H9.6"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
    />
  ),
};

const COLOURS: Partial<Record<Standing, string>> = {
  completed: "completed",
  running: "running",
  lapsed: "lapsed",
  ambiguous: "ambiguous",
  failed: "failed",
};

export function Shape({ of }: { of: Standing }) {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true">
      {SHAPES[of]}
    </svg>
  );
}

export function Status({ of, children }: { of: Standing; children?: string }) {
  return (
    <span class={`status status-${COLOURS[of] ?? "ended"}`}>
      <Shape of={of} />
      {children === undefined ? of : visible(children)}
    </span>
  );
}

/** How an operation stands now: a lease that has ended shows, although nobody has come by to say so. */
export function standingOf(execution: Pick<Execution, "status" | "lease_until">, now = Date.now()): Standing {
  if (execution.status !== "running") return execution.status;
  return execution.lease_until !== null && Date.parse(execution.lease_until) <= now ? "lapsed" : "running";
}
