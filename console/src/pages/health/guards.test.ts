import { describe, expect, it } from "vitest";
import { tellGuard, tellTarget, usesOf } from "./guards";
import type { Guard } from "./types";

const guard = (more: Partial<Guard>): Guard => ({
  guard_id: "g",
  kind: "freeze",
  tool_name: null,
  channel_pattern: null,
  created_by: "ada",
  created_at: "2026-01-01T00:00:00Z",
  ...more,
});

describe("guards in words", () => {
  it.each<[Partial<Guard>, string]>([
    [{}, "every tool, on every run"],
    [{ tool_name: "mail", channel_pattern: "run-*" }, "mail, on run-*"],
  ])("%o is for %s", (more, words) => expect(tellTarget(guard(more))).toBe(words));

  it.each<[Partial<Guard>, string]>([
    [{ reason: "provider is down" }, "Nothing starts: provider is down"],
    [{ reason: null }, "Nothing starts."],
    [
      { kind: "budget", limit: 5_000, field: "amount", window_seconds: 3_600 },
      "At most 5,000 of amount in 1 h.",
    ],
    [{ kind: "budget", limit: 3, per_channel: true }, "At most 3 new operations altogether, each run."],
    [
      { kind: "near_duplicate", action: "ask", window_seconds: 600, across_channels: true },
      "The same call under another key waits for approval, on any of these runs within 10 min.",
    ],
  ])("%o says %s", (more, words) => expect(tellGuard(guard(more))).toBe(words));

  it("shows the fullest budget first", () => {
    const uses = [
      { channel_id: "a", used: 10, window_ends_at: null },
      { channel_id: null, used: 130, window_ends_at: null },
    ];
    expect(
      usesOf(guard({ kind: "budget", limit: 100, uses })).map((it) => [it.of, it.words, it.part]),
    ).toEqual([
      ["all together", "130 of 100", 1],
      ["a", "10 of 100", 0.1],
    ]);
  });
});
