/** Numbers of the health page, as people read them. */

import { clock, count, span } from "../../ui/time";
import type { Samples } from "./types";

/** `whole` things are counted; a `number` may be a mean. */
export type Unit = "per second" | "milliseconds" | "bytes" | "number" | "whole";

const BYTES = ["B", "kB", "MB", "GB", "TB", "PB"];

/** `812 B`, `4.2 MB`: in thousands, as disks are sold. */
export function bytes(value: number): string {
  let size = value;
  let at = 0;
  while (size >= 999.5 && at < BYTES.length - 1) {
    size /= 1_000;
    at += 1;
  }
  const digits = at > 0 && size < 9.95 ? 1 : 0;
  return `${size.toFixed(digits)} ${BYTES[at]}`;
}

export function tell(value: number, unit: Unit): string {
  switch (unit) {
    case "bytes":
      return bytes(value);
    case "milliseconds":
      return value < 10 ? `${short(value)} ms` : span(value);
    case "per second":
      return `${short(value)}/s`;
    case "number":
    case "whole":
      return short(value);
  }
}

function short(value: number): string {
  if (Math.abs(value) >= 100) return count(Math.round(value));
  return String(Number(value.toPrecision(value !== 0 && Math.abs(value) < 1 ? 2 : 3)));
}

export interface Extent {
  latest: number | null;
  lowest: number;
  highest: number;
}

/** Null where nothing was measured. The latest one is that of the last moment, and may be a gap. */
export function extentOf(samples: Samples): Extent | null {
  const known = samples.filter((it) => it !== null);
  if (known.length === 0) return null;
  return {
    latest: samples.at(-1) ?? null,
    lowest: known.reduce((one, other) => Math.min(one, other)),
    highest: known.reduce((one, other) => Math.max(one, other)),
  };
}

/** What a plot shows, for those who do not see it. */
export function describe(label: string, samples: Samples, unit: Unit): string {
  const extent = extentOf(samples);
  if (extent === null) return `${label}: nothing measured`;
  const latest = extent.latest === null ? "nothing now" : `${tell(extent.latest, unit)} now`;
  return `${label}: ${latest}, lowest ${tell(extent.lowest, unit)}, highest ${tell(extent.highest, unit)}`;
}

/** Places of samples that stand between gaps: a line does not show them. */
export function isolated(samples: ArrayLike<number | null | undefined>): number[] {
  const found: number[] = [];
  for (let at = 0; at < samples.length; at += 1) {
    if (samples[at] != null && samples[at - 1] == null && samples[at + 1] == null) found.push(at);
  }
  return found;
}

/** The top of an axis from 0: a round number above what is shown. */
export function topOf(highest: number | null | undefined): number {
  if (highest == null || highest <= 0) return 1;
  const scale = 10 ** Math.floor(Math.log10(highest));
  return (
    [1, 1.5, 2, 3, 4, 5, 7.5, 10, 15].map((it) => it * scale).find((it) => it >= highest * 1.05) ??
    highest * 2
  );
}

/** Moments on an axis, in seconds: `14:09`, and `14:09:30` where two of them are in one minute. */
export function timesOf(moments: number[]): string[] {
  const told = moments.map((it) => clock(new Date(it * 1_000).toISOString()));
  const minutes = told.map((it) => it.slice(0, 5));
  const length = new Set(minutes).size < minutes.length ? 8 : 5;
  return told.map((it) => it.slice(0, length));
}
