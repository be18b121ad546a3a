/** Moments and spans, as people read them; the exact moment is in the tooltip and for machines. */

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

const now = signal(Date.now());
let users = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** The time, moving once a second while somebody looks. */
export function useNow(): number {
  useEffect(() => {
    users += 1;
    timer ??= setInterval(() => {
      now.value = Date.now();
    }, 1_000);
    return () => {
      users -= 1;
      if (users === 0) {
        clearInterval(timer);
        timer = undefined;
      }
    };
  }, []);
  return now.value;
}

/** `3 min ago`, `in 40 s`. */
export function Ago({ at }: { at: string }) {
  const moment = Date.parse(at);
  const distance = useNow() - moment;
  const text =
    Math.abs(distance) < 1_500 ? "now" : distance < 0 ? `in ${span(-distance)}` : `${span(distance)} ago`;
  return (
    <time dateTime={at} title={exact(at)}>
      {text}
    </time>
  );
}

/** `14:03:07.412`, with the day in the tooltip. */
export function Clock({ at }: { at: string }) {
  return (
    <time class="mono" dateTime={at} title={exact(at)}>
      {clock(at)}
    </time>
  );
}

export function clock(at: string): string {
  const moment = new Date(at);
  const two = (value: number) => String(value).padStart(2, "0");
  const milliseconds = String(moment.getMilliseconds()).padStart(3, "0");
  return `${two(moment.getHours())}:${two(moment.getMinutes())}:${two(moment.getSeconds())}.${milliseconds}`;
}

export function exact(at: string): string {
  return `${new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "long" })} (${at})`;
}

/** A span of milliseconds in one or two units: `870 ms`, `12.4 s`, `3 min`, `2 h 5 min`, `4 d`. */
export function span(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1_000;
  if (seconds < 9.95) return `${Math.round(seconds * 10) / 10} s`;
  if (seconds < 59.5) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  return `${Math.round(hours / 24)} d`;
}

export function count(value: number): string {
  return value.toLocaleString("en");
}
