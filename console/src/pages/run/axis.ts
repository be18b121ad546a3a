/** Where a moment or a cursor stands on the chart, from 0 to 1. */

import type { Event } from "../../api/types";
import { span } from "../../ui/time";

export type Scale = "time" | "order";

export interface Axis {
  firstCursor: number;
  lastCursor: number;
  caption: string;
  atCursor: (cursor: number) => number;
  atTime: (moment: number) => number;
}

/** Over the events that are loaded, and up to now while something is open. */
export function axisOver(events: Event[], scale: Scale, now: number | null): Axis {
  const first = events[0];
  const last = events.at(-1);
  if (first === undefined || last === undefined) {
    return { firstCursor: 1, lastCursor: 0, caption: "no events", atCursor: () => 0, atTime: () => 0 };
  }
  const times = events.map((it) => Date.parse(it.timestamp));
  const begin = times[0] ?? 0;
  const end = Math.max(times.at(-1) ?? begin, now ?? 0);
  const length = Math.max(1, end - begin);
  const clamp = (share: number) => Math.min(1, Math.max(0, share));
  const places = Math.max(1, last.cursor - first.cursor + (now === null ? 0 : 1));
  const byOrder = (cursor: number) => clamp((cursor - first.cursor) / places);
  const caption = `${span(length)}, cursors ${first.cursor}–${last.cursor}`;
  const common = { firstCursor: first.cursor, lastCursor: last.cursor, caption };
  if (scale === "order") {
    return { ...common, atCursor: byOrder, atTime: (moment) => byOrder(first.cursor + below(times, moment)) };
  }
  const atTime = (moment: number) => clamp((moment - begin) / length);
  return {
    ...common,
    atTime,
    atCursor: (cursor) => atTime(times[cursor - first.cursor] ?? (cursor < first.cursor ? begin : end)),
  };
}

/** How many of the ascending moments are before this one. */
function below(times: number[], moment: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) < moment) low = middle + 1;
    else high = middle;
  }
  return low;
}
