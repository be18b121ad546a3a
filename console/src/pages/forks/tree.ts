/** The tree of forks as it is looked at: where a run is in it, and what is unfolded at first. */

import type { TreeNode } from "./types";

/** From the root to the run, both included; null where it is not in the tree. */
export function pathTo(root: TreeNode, channelId: string): TreeNode[] | null {
  const above = new Map<TreeNode, TreeNode>();
  const pending = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.channel_id === channelId) {
      const path = [node];
      for (let it = above.get(node); it !== undefined; it = above.get(it)) path.unshift(it);
      return path;
    }
    for (const child of node.children) {
      above.set(child, node);
      pending.push(child);
    }
  }
  return null;
}

/** How many runs there are, the root included. */
export function countRuns(root: TreeNode): number {
  let count = 0;
  const pending = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    count += 1;
    pending.push(...node.children);
  }
  return count;
}

/** Which nodes show their children at first: the way to the run, then level by level until enough is seen. */
export function openAtFirst(root: TreeNode, channelId: string, enough: number): Set<string> {
  const path = pathTo(root, channelId) ?? [];
  const open = new Set(path.map((it) => it.channel_id));
  let shown = 1 + path.reduce((sum, it) => sum + it.children.length, 0);
  let level = [root];
  while (level.length > 0) {
    for (const node of level) {
      if (open.has(node.channel_id) || node.children.length === 0) continue;
      if (shown + node.children.length > enough) continue;
      open.add(node.channel_id);
      shown += node.children.length;
    }
    level = level.filter((it) => open.has(it.channel_id)).flatMap((it) => it.children);
  }
  return open;
}

/** The children that are shown of many: the first ones, and in any case the one that leads to the run. */
export function firstChildren(node: TreeNode, most: number, needed: string | undefined): TreeNode[] {
  const first = node.children.slice(0, most);
  const missed = node.children.slice(most).find((it) => it.channel_id === needed);
  return missed === undefined ? first : [...first, missed];
}
