/** The log, a line an event. Only what is in view is in the document, so ten thousand lines cost fifty. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { isBranch } from "../../api/exact";
import type { Event, Json, VersionSummary } from "../../api/types";
import { Said } from "../../ui/said";
import { Shape, type Standing } from "../../ui/status";
import { Clock } from "../../ui/time";
import "./log.css";

const LINE = 30; // pixels; log.css says the same
const AROUND = 15;
const PARTS_MAX = 12;
const PART_MAX = 120;

const SHAPES: Record<string, Standing> = {
  "tool.started": "running",
  "tool.completed": "completed",
  "tool.failed": "failed",
  "tool.ambiguous": "ambiguous",
  "tool.replayed": "replayed",
  "tool.resolved": "completed",
  "tool.late_evidence": "lapsed",
  "tool.blocked": "cancelled",
};
const COLOURS: Partial<Record<Standing, string>> = {
  running: "running",
  completed: "completed",
  failed: "failed",
  ambiguous: "ambiguous",
  lapsed: "lapsed",
};

interface Props {
  events: Event[];
  versions: VersionSummary[];
  selected: number | null;
  select: (cursor: number) => void;
  /** Whether the newest line stays in view as lines come. */
  follows: boolean;
}

export function Log({ events, versions, selected, select, follows }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const byCursor = new Map(versions.map((it) => [it.cursor, it.version]));
  const first = events[0]?.cursor ?? 1;
  const begin = Math.max(0, Math.floor(view.top / LINE) - AROUND);
  const end = Math.min(events.length, Math.ceil((view.top + view.height) / LINE) + AROUND);

  const wasAtEnd = useRef(true);
  const firstBefore = useRef(first);
  useLayoutEffect(() => {
    const it = box.current;
    if (it === null) return;
    // Lines that come above must not push away what is being read.
    if (first < firstBefore.current) it.scrollTop += (firstBefore.current - first) * LINE;
    else if (follows && wasAtEnd.current) it.scrollTop = it.scrollHeight;
    firstBefore.current = first;
  }, [events.length, first, follows]);

  useEffect(() => {
    const it = box.current;
    if (it === null || selected === null) return;
    const top = (selected - first) * LINE;
    if (top < it.scrollTop || top + LINE > it.scrollTop + it.clientHeight) {
      it.scrollTop = top - it.clientHeight / 2;
    }
    // Only when another line is chosen, not whenever lines come.
  }, [selected]);

  useEffect(() => {
    const it = box.current;
    if (it === null) return;
    const measure = () => setView({ top: it.scrollTop, height: it.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(it);
    return () => observer.disconnect();
  }, []);

  function onKey(event: KeyboardEvent): void {
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: 15,
      PageUp: -15,
      Home: -events.length,
      End: events.length,
    };
    const step = steps[event.key];
    if (step === undefined || events.length === 0) return;
    event.preventDefault();
    const here = selected === null ? events.length - 1 : selected - first;
    const there = events[Math.min(events.length - 1, Math.max(0, here + step))];
    if (there !== undefined) select(there.cursor);
  }

  return (
    <div
      ref={box}
      class="log"
      role="listbox"
      aria-label="Events; arrow keys go from one to the next"
      tabIndex={0}
      aria-activedescendant={selected === null ? undefined : `event-${selected}`}
      onKeyDown={onKey}
      onScroll={(event) => {
        const it = event.currentTarget;
        wasAtEnd.current = it.scrollHeight - it.scrollTop - it.clientHeight < LINE;
        setView({ top: it.scrollTop, height: it.clientHeight });
      }}
    >
      <div class="all-lines" style={{ height: `${events.length * LINE}px` }} role="presentation">
        <div role="presentation" style={{ transform: `translateY(${begin * LINE}px)` }}>
          {events.slice(begin, end).map((event) => (
            <Line
              key={event.cursor}
              event={event}
              version={byCursor.get(event.cursor)}
              isSelected={event.cursor === selected}
              select={select}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

interface LineProps {
  event: Event;
  version: number | undefined;
  isSelected: boolean;
  select: (cursor: number) => void;
}

function Line({ event, version, isSelected, select }: LineProps) {
  const shape = SHAPES[event.type];
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus
    <div
      class="line"
      role="option"
      id={`event-${event.cursor}`}
      aria-selected={isSelected}
      onClick={() => select(event.cursor)}
    >
      <span class="cursor num">{event.cursor}</span>
      <Clock at={event.timestamp} />
      <span class={`status status-${shape === undefined ? "none" : (COLOURS[shape] ?? "ended")}`}>
        {shape !== undefined && <Shape of={shape} />}
      </span>
      <span class="type mono">
        <Said text={event.type} />
      </span>
      <span class="gist">
        {gistOf(event).map((it) => (
          <Said text={it} />
        ))}
      </span>
      {version !== undefined && (
        <span class="version" title={`State version ${version} was saved with this event`}>
          v{version}
        </span>
      )}
      <span class="actor quiet">
        <Said text={event.actor} />
      </span>
    </div>
  );
}

/** What an event is about, in one line of parts: none of them can turn its neighbour. */
export function gistOf(event: Event): string[] {
  if (event.redacted && Object.keys(event.payload).length === 0) return ["(content not shown)"];
  const { key_name: key, attempt } = event.payload;
  if (event.type.startsWith("tool.") && typeof key === "string") {
    return typeof attempt === "number" && attempt > 1 ? [key, `· attempt ${attempt}`] : [key];
  }
  return Object.entries(event.payload)
    .slice(0, PARTS_MAX)
    .map(([name, value]) => `${name.slice(0, PART_MAX)}: ${brief(value)}`);
}

function brief(value: Json): string {
  if (!isBranch(value)) return String(value).slice(0, PART_MAX);
  return Array.isArray(value) ? `[${value.length}]` : "{…}";
}
