/** How long an attempt took, where anybody knows. */

import type { Execution } from "../../api/types";
import type { Attempt } from "../run/operations";
import type { Resolution } from "./types";

/** Whoever has said how an attempt ended in its worker's place: that event stands right before the end. */
export function whoEnded(attempt: Attempt, resolutions: Resolution[]): Resolution | undefined {
  return resolutions.find((it) => it.cursor + 1 === attempt.endedCursor);
}

/** Milliseconds; null of a worker that fell silent, which may have stopped at any time. */
export function tookMs(
  attempt: Attempt,
  execution: Pick<Execution, "lease_until">,
  resolutions: Resolution[],
  now: number,
): number | null {
  const { startedAt, endedAt, ending } = attempt;
  if (startedAt === null || ending === "taken-over") return null;
  if (whoEnded(attempt, resolutions) !== undefined) return null;
  const isHeld = execution.lease_until !== null && Date.parse(execution.lease_until) > now;
  if (endedAt === null && !isHeld) return null;
  return Math.max(0, (endedAt === null ? now : Date.parse(endedAt)) - Date.parse(startedAt));
}
