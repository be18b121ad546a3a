import { describe, expect, it } from "vitest";
import { countRuns, firstChildren, openAtFirst, pathTo } from "./tree";
import type { TreeNode } from "./types";

function node(channel_id: string, ...children: TreeNode[]): TreeNode {
  return {
    channel_id,
    display_name: null,
    reason: null,
    forked_at_cursor: 0,
    event_count: 1,
    latest_cursor: 1,
    children,
  };
}
const TREE = node("root", node("a", node("a1"), node("a2", node("deep"))), node("b", node("b1")));

describe("the tree of forks", () => {
  it("knows the way to a run", () => {
    expect(pathTo(TREE, "deep")?.map((it) => it.channel_id)).toEqual(["root", "a", "a2", "deep"]);
    expect(pathTo(TREE, "root")?.map((it) => it.channel_id)).toEqual(["root"]);
    expect(pathTo(TREE, "elsewhere")).toBeNull();
    expect(countRuns(TREE)).toBe(7);
  });

  it("is open as a whole while it is small", () => {
    expect([...openAtFirst(TREE, "root", 100)].sort()).toEqual(["a", "a2", "b", "root"]);
  });

  it("shows the way to the run in any case, and little beside it where there is much", () => {
    expect([...openAtFirst(TREE, "deep", 3)].sort()).toEqual(["a", "a2", "deep", "root"]);
  });

  it("takes a deep chain", () => {
    let chain = node("200");
    for (let at = 199; at >= 0; at -= 1) chain = node(String(at), chain);
    expect(pathTo(chain, "200")).toHaveLength(201);
    expect(openAtFirst(chain, "0", 50).size).toBe(49);
  });

  it("shows the first of many children, and the one that matters", () => {
    const many = node("root", ...Array.from({ length: 30 }, (_, at) => node(String(at))));
    const ids = (needed?: string) => firstChildren(many, 3, needed).map((it) => it.channel_id);
    expect(ids()).toEqual(["0", "1", "2"]);
    expect(ids("1")).toEqual(["0", "1", "2"]);
    expect(ids("27")).toEqual(["0", "1", "2", "27"]);
  });
});
