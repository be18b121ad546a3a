/** What somebody should look at, the most urgent first. */

import { Shape, type Standing } from "../../ui/status";
import { count, span } from "../../ui/time";
import { visible } from "../../ui/visible";
import type { Attention } from "./types";

const SHAPES: Record<string, Standing> = {
  ambiguous: "ambiguous",
  lapsed: "lapsed",
  database_lost: "failed",
  frozen_tools: "interrupted",
  open_long: "running",
};
const COLOURS: Partial<Record<Standing, string>> = {
  ambiguous: "ambiguous",
  lapsed: "lapsed",
  failed: "failed",
  running: "running",
};

// Their sentences say since when.
const TELL_SINCE = new Set(["wakeups_due", "open_long"]);

export function AttentionList({ of }: { of: Attention[] }) {
  if (of.length === 0)
    return (
      <p class="all-well status status-completed">
        <Shape of="completed" />
        All is well. Nothing waits for a person, nothing is stuck.
      </p>
    );
  return (
    <ul class="attention">
      {of.map((it) => (
        <AttentionItem key={`${it.kind} ${it.href}`} of={it} />
      ))}
    </ul>
  );
}

function AttentionItem({ of }: { of: Attention }) {
  const shape = SHAPES[of.kind] ?? "expired";
  const href = of.href ?? (of.kind === "frozen_tools" ? "#guards" : null);
  return (
    <li>
      <span class={`status status-${COLOURS[shape] ?? "lapsed"}`}>
        <Shape of={shape} />
      </span>
      {href?.startsWith("/") || href?.startsWith("#") ? (
        <a href={href} data-row>
          {visible(of.text)}
        </a>
      ) : (
        <span>{visible(of.text)}</span>
      )}
      {of.oldest_seconds !== null && !TELL_SINCE.has(of.kind) && (
        <span class="quiet">
          {of.count > 1 ? "the oldest for" : "for"} {span(of.oldest_seconds * 1_000)}
        </span>
      )}
      <span class="visually-hidden">
        {of.kind}, {count(of.count)}
      </span>
    </li>
  );
}
