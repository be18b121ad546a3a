/** What a status means for whoever reads it: what is known, and what happens next. */

import type { Execution, LateEvidence } from "../../api/types";
import { standingOf } from "../../ui/status";
import type { Resolution } from "./types";

export interface Known {
  execution: Execution;
  evidence: LateEvidence[];
  resolutions: Resolution[];
  /** Who made the latest attempt; null where that is not known. */
  owner: string | null;
  /** The owner itself has said that it cannot tell. */
  isGivenUp: boolean;
  /** Its effect has been taken back since. */
  isUndone: boolean;
}

export interface Meaning {
  tone: "warn" | "bad" | "plain";
  known: string;
  next: string;
}

export function meaningOf(told: Known, now: number): Meaning {
  const { execution } = told;
  const owner = told.owner ?? "A worker";
  const tool = execution.tool_name;
  const again = `The next claim of this key calls ${tool} again.`;
  switch (standingOf(execution, now)) {
    case "running":
      return {
        tone: "plain",
        known: `${owner} is at it, and holds it until its lease ends.`,
        next: afterLapse(execution, again),
      };
    case "lapsed":
      return {
        tone: "warn",
        known: `${owner} fell silent: its lease has ended, and there is no result.`,
        next: `${again} Where that would be once too often, look first, and resolve it.`,
      };
    case "ambiguous":
      return {
        tone: "warn",
        known: told.isGivenUp
          ? `${owner} could not tell whether ${tool} took effect.`
          : `${owner} was lost after it may have called ${tool}.`,
        next: `Nobody gets this operation before somebody says what happened. ${whereToLook(told)}`,
      };
    case "completed":
      return {
        tone: "plain",
        known: told.isUndone
          ? "It was done, and has been undone since."
          : (byWhom(told, "applied") ?? "It is done."),
        next: `Every claim of this key gets this result, and ${tool} is not called again.`,
      };
    case "failed": {
      const resolved = byWhom(told, "not_applied");
      return {
        tone: resolved === null ? "bad" : "plain",
        known: resolved ?? `${owner} reported that attempt ${execution.attempts} failed.`,
        next: again,
      };
    }
    case "cancelled":
      return { tone: "plain", known: "It was given up without an outcome.", next: again };
    default:
      return { tone: "plain", known: `It is ${execution.status}.`, next: again };
  }
}

function afterLapse(execution: Execution, again: string): string {
  return execution.on_lapse === "ambiguous"
    ? "If it falls silent, nobody gets the operation before somebody says what happened."
    : `If it falls silent: ${again.charAt(0).toLowerCase()}${again.slice(1)}`;
}

function whereToLook({ evidence }: Known): string {
  if (evidence.some((it) => it.says === "completed")) {
    return "A worker has reported a result too late: see the late evidence, check it with the provider, then resolve.";
  }
  return "Look in the provider's books, then resolve it.";
}

/** The last thing that people said of it, if it is what made the status. */
function byWhom({ execution, resolutions }: Known, outcome: "applied" | "not_applied"): string | null {
  const last = resolutions.find((it) => it.outcome === outcome);
  if (last === undefined || execution.completed_cursor === null) return null;
  // A resolution stands right before the end that it makes, or after it where nothing had to change.
  if (last.cursor < execution.completed_cursor - 1) return null;
  return outcome === "applied"
    ? `${last.by} has looked, and recorded that it is done.`
    : `${last.by} has looked, and recorded that it had no effect.`;
}

/** Whether somebody may say what happened: it is open with nobody at it, or has ended without a result. */
export function mayBeResolved(execution: Execution, now: number): boolean {
  return !["running", "completed"].includes(standingOf(execution, now));
}
