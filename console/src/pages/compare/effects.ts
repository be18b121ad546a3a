/** The operations of both sides in the order in which they matter to somebody who compares. */

import type { BlockedCall, ChangedCall, SideEffects, ToolCall, ToolDiff } from "./types";

export interface Side {
  /** Null where this side has no such operation. */
  call: Pick<ToolCall, "id" | "status"> | null;
  /** The call was refused here by the fork's tool policy. */
  blockedBy: string | null;
  isInherited: boolean;
}

export interface EffectRow {
  key: string;
  tool: string;
  left: Side;
  right: Side;
  /** What is not alike, where both have one. */
  changed: ChangedCall | null;
  /** What is known of the only one, where one side has one. */
  only: ToolCall | null;
}

export interface EffectGroup {
  name: string;
  /** What it means, in a sentence. */
  words: string;
  rows: EffectRow[];
}

export function groupEffects(
  tools: ToolDiff,
  told: { left: SideEffects; right: SideEffects },
): EffectGroup[] {
  const blocked = { left: byKey(told.left.blocked), right: byKey(told.right.blocked) };
  const absent = (side: "left" | "right", key: string): Side => ({
    call: null,
    blockedBy: blocked[side].get(key)?.policy ?? null,
    isInherited: false,
  });
  const has = (it: ToolCall): Side => ({ call: it, blockedBy: null, isInherited: it.inherited });

  const changed = Object.entries(tools.changed).map(
    ([key, it]): EffectRow => ({
      key,
      tool:
        it.left.tool_name === it.right.tool_name
          ? it.left.tool_name
          : `${it.left.tool_name} / ${it.right.tool_name}`,
      left: has(it.left),
      right: has(it.right),
      changed: it,
      only: null,
    }),
  );
  const leftOnly = Object.entries(tools.left_only).map(
    ([key, it]): EffectRow => ({
      key,
      tool: it.tool_name,
      left: has(it),
      right: absent("right", key),
      changed: null,
      only: it,
    }),
  );
  const rightOnly = Object.entries(tools.right_only).map(
    ([key, it]): EffectRow => ({
      key,
      tool: it.tool_name,
      left: absent("left", key),
      right: has(it),
      changed: null,
      only: it,
    }),
  );
  const same = Object.entries(tools.same).map(([key, it]) => ({
    shared: it.shared,
    row: {
      key,
      tool: it.tool_name,
      left: { call: { id: it.left_id, status: it.status }, blockedBy: null, isInherited: false },
      right: { call: { id: it.right_id, status: it.status }, blockedBy: null, isInherited: false },
      changed: null,
      only: null,
    } satisfies EffectRow,
  }));
  const refused = refusedOnly(tools, blocked);
  return [
    {
      name: "Same key, different outcome",
      words: "Both ran it, with other input or another end.",
      rows: changed,
    },
    { name: "Only left", words: "The right one has no operation of this key.", rows: leftOnly },
    { name: "Only right", words: "The left one has no operation of this key.", rows: rightOnly },
    { name: "Refused", words: "A tool policy refused the call; nobody ran it.", rows: refused },
    {
      name: "Shared",
      words: "One operation, which ran once: the fork inherits its result.",
      rows: same.filter((it) => it.shared).map((it) => it.row),
    },
    {
      name: "Alike",
      words: "Each ran it, with the same input and the same end.",
      rows: same.filter((it) => !it.shared).map((it) => it.row),
    },
  ].filter((it) => it.rows.length > 0);
}

function byKey(calls: BlockedCall[]): Map<string, BlockedCall> {
  return new Map(calls.map((it) => [it.key_name, it]));
}

/** Calls that were refused and that no side has an operation of. */
function refusedOnly(
  tools: ToolDiff,
  blocked: { left: Map<string, BlockedCall>; right: Map<string, BlockedCall> },
): EffectRow[] {
  const known = new Set(
    [tools.left_only, tools.right_only, tools.changed, tools.same].flatMap((it) => Object.keys(it)),
  );
  const keys = new Set([...blocked.left.keys(), ...blocked.right.keys()].filter((it) => !known.has(it)));
  const side = (it: BlockedCall | undefined): Side => ({
    call: null,
    blockedBy: it?.policy ?? null,
    isInherited: false,
  });
  return [...keys].map((key) => ({
    key,
    tool: (blocked.left.get(key) ?? blocked.right.get(key))?.tool_name ?? "",
    left: side(blocked.left.get(key)),
    right: side(blocked.right.get(key)),
    changed: null,
    only: null,
  }));
}
