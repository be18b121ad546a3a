/** How the runs of a tree ended. The tree does not say, so each unfolded parent is asked for its children. */

import { useEffect, useRef, useState } from "preact/hooks";
import { api, segment } from "../../api/http";
import type { Metadata, Outcome, TreeNode } from "./types";

export interface Verdict {
  outcome: Outcome | null;
  score: number | null;
}

export const verdictOf = (it: Metadata): Verdict => ({ outcome: it.outcome, score: it.result_score });

/** Verdicts of the children of these parents, read anew with each tree; who cannot be asked has none to show. */
export function useVerdicts(tree: TreeNode | null, parents: string[]): ReadonlyMap<string, Verdict> {
  const [verdicts, setVerdicts] = useState<ReadonlyMap<string, Verdict>>(new Map());
  const asked = useRef({ tree, of: new Set<string>() });
  const about = parents.join(" ");
  useEffect(() => {
    if (asked.current.tree !== tree) asked.current = { tree, of: new Set() };
    const wanted = parents.filter((it) => !asked.current.of.has(it));
    for (const parent of wanted) asked.current.of.add(parent);
    const mine = asked.current;
    async function ask(): Promise<void> {
      // One after the other: hundreds of parents must not keep the server from anything else.
      for (const parent of wanted) {
        try {
          const { forks } = await api.get<{ forks: Metadata[] }>(`/api/v1/channels/${segment(parent)}/forks`);
          if (asked.current !== mine) return;
          setVerdicts((before) => {
            const after = new Map(before);
            for (const it of forks) after.set(it.channel_id, verdictOf(it));
            return after;
          });
        } catch {
          mine.of.delete(parent);
        }
      }
    }
    void ask();
  }, [about, tree]);
  return verdicts;
}
