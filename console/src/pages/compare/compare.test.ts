import { describe, expect, it } from "vitest";
import { parseWritten } from "../../api/exact";
import { groupEffects } from "./effects";
import { figuresOf } from "./figures";
import { pathText } from "./path-text";
import type { Comparison, SideEffects, Spending, ToolCall, ToolDiff } from "./types";

const call = (id: string, more: Partial<ToolCall> = {}): ToolCall => ({
  id,
  channel_id: "run",
  tool_name: "mail",
  status: "completed",
  attempts: 1,
  inherited: false,
  params: null,
  result: null,
  error: null,
  ...more,
});
const NOTHING: ToolDiff = { left_only: {}, right_only: {}, changed: {}, same: {}, truncated: false };
const SILENT: SideEffects = { ran: 0, inherited: 0, replayed: [], blocked: [], truncated: false };
const refusal = (key_name: string) => ({ key_name, tool_name: "mail", policy: "block", cursor: 3 });

describe("groupEffects", () => {
  it("puts what differs first, and what ran once last", () => {
    const tools: ToolDiff = {
      ...NOTHING,
      changed: { a: { differs: ["result"], left: call("l"), right: call("r", { tool_name: "post" }) } },
      left_only: { b: call("b") },
      right_only: { c: call("c", { inherited: true }) },
      same: {
        d: { tool_name: "mail", status: "completed", shared: false, left_id: "1", right_id: "2" },
        e: { tool_name: "mail", status: "completed", shared: true, left_id: "3", right_id: "3" },
      },
    };
    const groups = groupEffects(tools, { left: SILENT, right: SILENT });
    expect(groups.map((it) => `${it.name}: ${it.rows.map((row) => row.key)}`)).toEqual([
      "Same key, different outcome: a",
      "Only left: b",
      "Only right: c",
      "Shared: e",
      "Alike: d",
    ]);
    expect(groups[0]?.rows[0]?.tool).toBe("mail / post");
    expect(groups[2]?.rows[0]?.right.isInherited).toBe(true);
  });

  it("says who was refused", () => {
    const tools = { ...NOTHING, left_only: { b: call("b") } };
    const told = { left: SILENT, right: { ...SILENT, blocked: [refusal("b"), refusal("x")] } };
    const groups = groupEffects(tools, told);
    expect(groups.map((it) => it.name)).toEqual(["Only left", "Refused"]);
    expect(groups[0]?.rows[0]?.right.blockedBy).toBe("block");
    expect(groups[1]?.rows.map((it) => it.key)).toEqual(["x"]);
  });

  it("shows no empty group", () =>
    expect(groupEffects(NOTHING, { left: SILENT, right: SILENT })).toEqual([]));
});

describe("figuresOf", () => {
  const none: Spending = { latency_ms: null, input_tokens: null, output_tokens: null, cost: null };
  it("tells what anybody mentions, with the difference", () => {
    const figures = figuresOf({
      left: { ...none, input_tokens: 6840, cost: 0.0342, latency_ms: 1200 },
      right: { ...none, input_tokens: 1280, cost: 0.0064 },
      delta: { ...none, input_tokens: -5560, cost: -0.0278, latency_ms: -1200 },
    });
    expect(figures).toEqual([
      { name: "tokens in", left: "6,840", right: "1,280", delta: "−5,560 (−81 %)" },
      { name: "cost", left: "0.0342", right: "0.0064", delta: "−0.0278 (−81 %)" },
      { name: "latency", left: "1.2 s", right: null, delta: "−1.2 s (−100 %)" },
    ]);
  });
  it("takes sums however they are written", () => {
    const { metrics } = parseWritten<Comparison>(
      `{"metrics": {"left": {"latency_ms": null, "input_tokens": null, "output_tokens": null, "cost": 2.0},
                    "right": {"latency_ms": 1.2e3, "input_tokens": null, "output_tokens": null, "cost": 2},
                    "delta": {"latency_ms": 1.2e3, "input_tokens": null, "output_tokens": null, "cost": 0.0}}}`,
    );
    expect(figuresOf(metrics)).toEqual([
      { name: "cost", left: "2", right: "2", delta: "the same" },
      { name: "latency", left: null, right: "1.2 s", delta: "+1.2 s" },
    ]);
  });
  it("knows nothing of silent runs", () => {
    expect(figuresOf({ left: none, right: none, delta: none })).toEqual([]);
  });
});

describe("pathText", () => {
  it.each([
    [[], "(whole)"],
    [["thoughts", "5"], "thoughts.5"],
    [["a b", "x.y"], '"a b"."x.y"'],
    [[""], '""'],
  ])("writes %j as %s", (path, text) => expect(pathText(path)).toBe(text));
});
