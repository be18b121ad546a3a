/** The events of one operation, in order, each with its place in the run. */

import type { Event, Json } from "../../api/types";
import { runPath } from "../../ui/links";
import { Said } from "../../ui/said";
import { Clock } from "../../ui/time";
import { CANCELLED } from "./history";

export function HistoryList({ events }: { events: Event[] }) {
  return (
    <ol class="history">
      {events.map((it) => (
        <li key={it.cursor}>
          <a class="num" href={runPath(it.channel_id, it.cursor)} data-row>
            {it.cursor}
          </a>
          <Clock at={it.timestamp} />
          <span class="mono type">
            <Said text={it.type} />
          </span>
          <span class="gist">
            <Said text={gistOf(it)} />
            {/* Who reports too late is not known: such an event bears the owner's name. */}
            {it.type !== "tool.late_evidence" && (
              <span class="quiet">
                {" · "}
                <Said text={it.actor} />
              </span>
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}

const OUTCOMES: Record<string, string> = {
  applied: "it happened",
  not_applied: "it did not happen",
  unknown: "looked, and could not tell",
};

function gistOf({ type, payload }: Event): string {
  switch (type) {
    case "tool.started":
      return `attempt ${payload.attempt ?? ""} began`;
    case "tool.completed":
      return "the result was recorded";
    case "tool.failed":
    case "tool.ambiguous":
      return messageOf(payload.error) ?? (type === "tool.failed" ? "it failed" : "its worker could not tell");
    case "tool.replayed":
      return "the result was handed out again";
    case "tool.resolved": {
      const outcome =
        typeof payload.outcome === "string" ? (OUTCOMES[payload.outcome] ?? payload.outcome) : "";
      return typeof payload.reason === "string" ? `${outcome}: ${payload.reason}` : outcome;
    }
    case "tool.late_evidence":
      return `a worker reported too late that it had ${payload.says ?? "ended"}`;
    case CANCELLED:
      return typeof payload.reason === "string"
        ? `the attempt was cancelled: ${payload.reason}`
        : "the attempt was cancelled";
    default:
      return "";
  }
}

function messageOf(error: Json | undefined): string | null {
  if (error === null || typeof error !== "object" || Array.isArray(error)) return null;
  return typeof error.message === "string" ? error.message : null;
}
