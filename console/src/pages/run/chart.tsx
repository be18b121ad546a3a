/** Events, state versions and attempts over one axis, so that what happened together stands together. */

import { useState } from "preact/hooks";
import type { Event, VersionSummary } from "../../api/types";
import { operationPath } from "../../ui/links";
import { Said } from "../../ui/said";
import { Shape, Status } from "../../ui/status";
import { clock, span, useNow } from "../../ui/time";
import { visible } from "../../ui/visible";
import { axisOver, type Scale } from "./axis";
import { type Attempt, byUrgency, type Mark, type Operation, standing } from "./operations";
import "./chart.css";

const OPERATIONS_AT_FIRST = 12;
const TICKS_MAX = 1_500;

interface Props {
  events: Event[];
  versions: VersionSummary[];
  operations: Operation[];
  selected: number | null;
  select: (cursor: number) => void;
}

export function Chart({ events, versions, operations, selected, select }: Props) {
  const [scale, setScale] = useState<Scale>("time");
  const [shown, setShown] = useState(OPERATIONS_AT_FIRST);
  const now = useNow();
  const isOpen = operations.some((it) => ["running", "lapsed", "ambiguous"].includes(standing(it, now)));
  const axis = axisOver(events, scale, isOpen ? now : null);
  const ordered = byUrgency(operations, now);
  const inView = versions.filter((it) => it.cursor >= axis.firstCursor && it.cursor <= axis.lastCursor);
  const every = Math.ceil(events.length / TICKS_MAX);
  const at = selected === null ? null : axis.atCursor(selected);
  return (
    <section class="chart" aria-labelledby="chart-title">
      <div class="chart-head">
        <h2 id="chart-title">Timeline</h2>
        <span class="quiet">{axis.caption}</span>
        <span class="switch">
          {(["time", "order"] as const).map((it) => (
            <button
              key={it}
              type="button"
              class="plain"
              aria-pressed={scale === it}
              onClick={() => setScale(it)}
            >
              {it === "time" ? "by time" : "by order"}
            </button>
          ))}
        </span>
      </div>
      <div class="track">
        <span class="label">Events</span>
        <div class="lane ticks" aria-hidden="true">
          {events.map((it, place) =>
            place % every === 0 ? (
              <i
                key={it.cursor}
                class={it.type.startsWith("tool.") ? "tool" : ""}
                style={{ left: percent(axis.atCursor(it.cursor)) }}
              />
            ) : null,
          )}
          {at !== null && <b style={{ left: percent(at) }} />}
        </div>
      </div>
      {inView.length > 0 && (
        <div class="track">
          <span class="label">State</span>
          <div class="lane versions">
            {spaced(inView, (it) => axis.atCursor(it.cursor)).map((it) => (
              <button
                key={it.version}
                type="button"
                style={{ left: percent(axis.atCursor(it.cursor)) }}
                title={`Version ${it.version}, cursor ${it.cursor}, ${clock(it.timestamp)}`}
                onClick={() => select(it.cursor)}
              >
                v{it.version}
              </button>
            ))}
          </div>
        </div>
      )}
      {ordered.slice(0, shown).map((it) => (
        <div class="track" key={it.id}>
          <span class="label">
            <Status of={standing(it, now)}>{""}</Status>
            <a
              class="mono"
              href={operationPath(it.id)}
              title={visible(`${it.key}, ${it.tool}: ${standing(it, now)}`)}
            >
              <Said text={it.key} />
            </a>
          </span>
          <div class="lane">
            {it.attempts.map((attempt) => (
              <Bar
                key={attempt.number}
                operation={it}
                attempt={attempt}
                axis={axis}
                now={now}
                select={select}
              />
            ))}
            {it.marks.map((mark) => (
              <MarkOf key={mark.cursor} mark={mark} left={axis.atCursor(mark.cursor)} select={select} />
            ))}
          </div>
        </div>
      ))}
      {ordered.length > shown && (
        <button type="button" class="plain" onClick={() => setShown(shown * 4)}>
          {ordered.length - shown} more operations
        </button>
      )}
    </section>
  );
}

interface BarProps {
  operation: Operation;
  attempt: Attempt;
  axis: ReturnType<typeof axisOver>;
  now: number;
  select: (cursor: number) => void;
}

function Bar({ operation, attempt, axis, now, select }: BarProps) {
  const from = attempt.startedCursor === null ? 0 : axis.atCursor(attempt.startedCursor);
  const lease = attempt.ending === null ? (operation.row?.lease_until ?? null) : null;
  const lapsed = lease !== null && Date.parse(lease) <= now;
  const to =
    attempt.endedCursor !== null
      ? axis.atCursor(attempt.endedCursor)
      : attempt.endedAt !== null
        ? axis.atTime(Date.parse(attempt.endedAt))
        : lapsed
          ? axis.atTime(Date.parse(lease))
          : axis.atTime(now);
  const state =
    attempt.ending ?? (lapsed ? (operation.row?.status === "ambiguous" ? "ambiguous" : "lapsed") : "running");
  const took =
    attempt.startedAt === null || (attempt.endedAt === null && lapsed) || attempt.ending === "taken-over"
      ? ""
      : `, ${span((attempt.endedAt === null ? now : Date.parse(attempt.endedAt)) - Date.parse(attempt.startedAt))}`;
  const said = visible(`Attempt ${attempt.number} by ${attempt.owner}: ${state.replace("-", " ")}${took}`);
  return (
    <>
      <button
        type="button"
        class={`bar bar-${state}`}
        style={{ left: percent(from), width: percent(Math.max(0, to - from)) }}
        title={said}
        aria-label={said}
        onClick={() => select(attempt.startedCursor ?? attempt.endedCursor ?? 0)}
      >
        <span>
          {attempt.number > 1 ? `${attempt.number}: ` : ""}
          <Said text={attempt.owner} />
        </span>
      </button>
      {lease !== null && (
        <i
          class={lapsed ? "lease lapsed" : "lease"}
          style={{
            left: percent(to),
            width: percent(Math.max(0, (lapsed ? axis.atTime(now) : axis.atTime(Date.parse(lease))) - to)),
          }}
          title={lapsed ? `The lease ended at ${clock(lease)}` : `Leased until ${clock(lease)}`}
        />
      )}
    </>
  );
}

const MARK_NAMES: Record<Mark["kind"], string> = {
  replayed: "Replayed: the recorded result was given out",
  resolved: "Resolved",
  late_evidence: "Late evidence of a worker that had lost the operation",
  blocked: "Blocked by a fork's policy",
  near_duplicate: "Near-duplicate",
};

function MarkOf({ mark, left, select }: { mark: Mark; left: number; select: (cursor: number) => void }) {
  const by = mark.kind === "late_evidence" ? "" : ` by ${mark.by}`;
  const said = visible(`${MARK_NAMES[mark.kind]}${by}, at ${clock(mark.at)}`);
  const shape =
    mark.kind === "replayed"
      ? "replayed"
      : mark.kind === "resolved"
        ? "completed"
        : mark.kind === "late_evidence"
          ? "lapsed"
          : "cancelled";
  return (
    <button
      type="button"
      class={`mark mark-${mark.kind}`}
      style={{ left: percent(left) }}
      title={said}
      aria-label={said}
      onClick={() => select(mark.cursor)}
    >
      <Shape of={shape} />
    </button>
  );
}

const percent = (share: number) => `${(share * 100).toFixed(3)}%`;

/** As many as there is room for: one for each fortieth of the width, the last of them. */
function spaced<T>(items: T[], at: (item: T) => number): T[] {
  const places = new Map<number, T>();
  for (const it of [...items].reverse()) places.set(Math.floor(at(it) * 24), it);
  return [...places.values()];
}
