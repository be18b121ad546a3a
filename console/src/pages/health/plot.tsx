/** A small plot over time. Its values are in the legend: those under the cursor, else the latest. */

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { clock } from "../../ui/time";
import { describe, isolated, tell, timesOf, topOf, type Unit } from "./figures";
import { inkOf, useSchemeChange } from "./ink";
import type { Samples } from "./types";

export interface Line {
  label: string;
  samples: Samples;
}

interface Props {
  title: string;
  unit: Unit;
  times: number[];
  lines: Line[];
}

// Each line has its colour and its dashes: either of them tells it.
const STROKES: { token: string; dash: number[] }[] = [
  { token: "--accent", dash: [] },
  { token: "--running", dash: [6, 3] },
  { token: "--ambiguous", dash: [2, 3] },
];
const HEIGHT = 120;
// There is no half of a subscriber.
const WHOLE_STEPS = [0, 1, 2, 3, 4, 5, 6, 7, 8].flatMap((power) => [1, 2, 5].map((it) => it * 10 ** power));

export function Plot({ title, unit, times, lines }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [at, setAt] = useState<number | null>(null);
  const labels = lines.map((it) => it.label).join(" ");

  useEffect(() => {
    const box = place.current;
    if (box === null) return;
    const made = new uPlot(optionsOf(unit, lines.length, box.clientWidth, setAt), [[]], box);
    plot.current = made;
    const watcher = new ResizeObserver(() => made.setSize({ width: box.clientWidth, height: HEIGHT }));
    watcher.observe(box);
    return () => {
      watcher.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [unit, labels]);

  useEffect(() => {
    plot.current?.setData([times, ...lines.map((it) => it.samples)]);
  }, [times, unit, labels]);

  useSchemeChange(useCallback(() => plot.current?.redraw(false, true), []));

  const shown = at ?? times.length - 1;
  const moment = times[shown];
  return (
    <figure class="plot">
      <figcaption>
        <h3>{title}</h3>
        <span class="quiet mono">
          {at !== null && moment !== undefined && clock(new Date(moment * 1_000).toISOString()).slice(0, 8)}
        </span>
      </figcaption>
      <div
        class="plot-canvas"
        ref={place}
        role="img"
        aria-label={lines.map((it) => describe(it.label, it.samples, unit)).join(". ")}
      />
      <ul class="plot-legend" aria-hidden="true">
        {lines.map((it, line) => {
          const value = it.samples[shown];
          return (
            <li key={it.label} data-line={line}>
              <svg viewBox="0 0 20 4" aria-hidden="true">
                <path
                  d="M0 2h20"
                  stroke="currentColor"
                  stroke-width="2"
                  stroke-dasharray={STROKES[line]?.dash.join(" ")}
                />
              </svg>
              {it.label} <strong>{value == null ? "–" : tell(value, unit)}</strong>
            </li>
          );
        })}
      </ul>
    </figure>
  );
}

function optionsOf(
  unit: Unit,
  lineCount: number,
  width: number,
  onCursor: (at: number | null) => void,
): uPlot.Options {
  const axis: uPlot.Axis = {
    stroke: () => inkOf("--quiet"),
    grid: { stroke: () => inkOf("--line"), width: 1 },
    ticks: { show: false },
    font: "11px system-ui, sans-serif",
  };
  return {
    width,
    height: HEIGHT,
    padding: [6, 18, 0, 0],
    legend: { show: false },
    cursor: { sync: { key: "health" }, drag: { x: false, y: false }, y: false, points: { size: 5 } },
    scales: { y: { range: (_plot, _lowest, highest) => [0, topOf(highest)] } },
    axes: [
      { ...axis, size: 20, space: 60, values: (_plot, moments) => timesOf(moments) },
      {
        ...axis,
        size: 58,
        space: 28,
        ...(unit === "whole" ? { incrs: WHOLE_STEPS } : {}),
        values: (_plot, values) => values.map((it) => tell(it, unit)),
      },
    ],
    series: [
      {},
      ...STROKES.slice(0, lineCount).map(
        ({ token, dash }): uPlot.Series => ({
          stroke: () => inkOf(token),
          width: 1.5,
          dash,
          points: {
            show: true,
            size: 4,
            filter: (made, line) => isolated(made.data[line] ?? []),
          },
        }),
      ),
    ],
    hooks: { setCursor: [(made) => onCursor(made.cursor.idx ?? null)] },
  };
}
