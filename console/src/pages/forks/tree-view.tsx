/** The tree drawn: a nested list with lines, so that it is read aloud as what it is. */

import { useState } from "preact/hooks";
import { forksPath, runPath } from "../../ui/links";
import { Said } from "../../ui/said";
import { Status } from "../../ui/status";
import { count } from "../../ui/time";
import { visibleLines } from "../../ui/visible";
import type { Verdict } from "./outcomes";
import { countRuns, firstChildren } from "./tree";
import type { TreeNode } from "./types";

const CHILDREN_AT_FIRST = 25;

export interface TreeProps {
  /** The run that the page is about, and the ids from the root to it. */
  current: string;
  path: string[];
  open: ReadonlySet<string>;
  toggle: (channelId: string) => void;
  verdicts: ReadonlyMap<string, Verdict>;
}

export function Tree({ root, ...props }: TreeProps & { root: TreeNode }) {
  return (
    <ul class="fork-tree">
      <Branch node={root} parentId={null} {...props} />
    </ul>
  );
}

interface BranchProps extends TreeProps {
  node: TreeNode;
  /** Null for the root. */
  parentId: string | null;
}

function Branch({ node, parentId, ...props }: BranchProps) {
  const { current, path, open, toggle } = props;
  const id = node.channel_id;
  const isOpen = open.has(id);
  const [most, setMost] = useState(CHILDREN_AT_FIRST);
  const children = isOpen ? firstChildren(node, most, path[path.indexOf(id) + 1]) : [];
  const hidden = node.children.length - children.length;
  return (
    <li>
      <div class={id === current ? "fork-node current" : "fork-node"}>
        {node.children.length > 0 ? (
          <button
            type="button"
            class="fold"
            aria-expanded={isOpen}
            aria-label={`Forks of ${id}: ${node.children.length}`}
            onClick={() => toggle(id)}
          >
            <span aria-hidden="true">{isOpen ? "−" : "+"}</span>
          </button>
        ) : (
          <span class="leaf-mark" aria-hidden="true" />
        )}
        <div class="fork-words">
          <a class="mono" href={forksPath(id)} data-row aria-current={id === current ? "true" : undefined}>
            <Said text={id} />
          </a>
          {node.display_name && node.display_name !== id && <Said text={node.display_name} />}
          <VerdictOf verdict={props.verdicts.get(id)} />
          <span class="quiet">
            {parentId !== null && (
              <>
                at cursor{" "}
                <a href={runPath(parentId, node.forked_at_cursor)}>{count(node.forked_at_cursor)}</a>,{" "}
              </>
            )}
            <a href={runPath(id)}>
              {count(node.event_count)} {node.event_count === 1 ? "event" : "events"}
              <span class="visually-hidden"> of {id}</span>
            </a>
            {!isOpen && node.children.length > 0 && <>, {tellBelow(node)}</>}
          </span>
          {node.reason && <span class="quiet reason">{visibleLines(node.reason)}</span>}
        </div>
      </div>
      {isOpen && node.children.length > 0 && (
        <ul>
          {children.map((child) => (
            <Branch key={child.channel_id} node={child} parentId={id} {...props} />
          ))}
          {hidden > 0 && (
            <li class="fork-more">
              <button type="button" class="plain" onClick={() => setMost(most * 4)}>
                {count(hidden)} more {hidden === 1 ? "fork" : "forks"} of {id}
              </button>
            </li>
          )}
        </ul>
      )}
    </li>
  );
}

function tellBelow(node: TreeNode): string {
  const below = countRuns(node) - 1;
  return `${count(below)} ${below === 1 ? "fork" : "forks"} below`;
}

export function VerdictOf({ verdict }: { verdict: Verdict | undefined }) {
  if (verdict === undefined || verdict.outcome === null) return null;
  const { outcome, score } = verdict;
  const shape = outcome === "promoted" ? "completed" : outcome === "crashed" ? "failed" : "cancelled";
  return (
    <>
      <Status of={shape}>{outcome}</Status>
      {score !== null && <span class="quiet">score {Number(score.toPrecision(4))}</span>}
    </>
  );
}
