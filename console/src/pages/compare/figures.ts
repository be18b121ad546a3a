/** What both sides spent, as people read it. */

import type { ExactNumber } from "../../api/exact";
import { count, span } from "../../ui/time";
import type { Both, Spending } from "./types";

export interface Figure {
  name: string;
  left: string | null;
  right: string | null;
  delta: string | null;
}

const NAMES: [keyof Spending, string][] = [
  ["input_tokens", "tokens in"],
  ["output_tokens", "tokens out"],
  ["cost", "cost"],
  ["latency_ms", "latency"],
];

/** The figures that any side mentions. They are sums, so their spelling is nobody's. */
export function figuresOf(metrics: Both<Spending> & { delta: Spending }): Figure[] {
  return NAMES.flatMap(([name, words]) => {
    const [left, right] = [amountOf(metrics.left[name]), amountOf(metrics.right[name])];
    if (left === null && right === null) return [];
    const delta = withSign(name, amountOf(metrics.delta[name]), left);
    return { name: words, left: told(name, left), right: told(name, right), delta };
  });
}

function amountOf(figure: number | ExactNumber | null): number | null {
  return figure === null ? null : Number(figure);
}

function told(name: keyof Spending, value: number | null): string | null {
  if (value === null) return null;
  if (name === "latency_ms") return span(value);
  if (name === "cost") return value.toLocaleString("en", { maximumSignificantDigits: 6 });
  return count(value);
}

function withSign(name: keyof Spending, delta: number | null, before: number | null): string | null {
  if (delta === null) return null;
  if (delta === 0) return "the same";
  const amount = `${delta < 0 ? "−" : "+"}${told(name, Math.abs(delta))}`;
  if (!before) return amount;
  const percent = Math.round((Math.abs(delta) / Math.abs(before)) * 100);
  return percent > 0 ? `${amount} (${delta < 0 ? "−" : "+"}${count(percent)} %)` : amount;
}
