/** The tree that a run belongs to, and what can be done with the run as a branch of it. */

import { useEffect, useMemo, useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { ApiError, api, segment } from "../../api/http";
import { allowsSome } from "../../api/permissions";
import { useResource } from "../../api/resource";
import type { Run, RunsReply } from "../../api/types";
import { may, session } from "../../session";
import { comparePath, forksPath, RunLink, runPath } from "../../ui/links";
import { News, useNews } from "../../ui/news";
import { useRowKeys } from "../../ui/row-keys";
import { Said } from "../../ui/said";
import { Status } from "../../ui/status";
import { count } from "../../ui/time";
import { useTitle } from "../../ui/title";
import { Trouble } from "../../ui/trouble";
import { ForkDialog } from "./fork-dialog";
import { useVerdicts, verdictOf } from "./outcomes";
import { ReceiptPanel } from "./receipt";
import { countRuns, openAtFirst, pathTo } from "./tree";
import { Tree, VerdictOf } from "./tree-view";
import type { Metadata, Receipt, TreeNode } from "./types";
import { OutcomeDialog, PromoteDialog } from "./verdicts";
import "./forks.css";

const NODES_AT_FIRST = 80;
const EASILY_SEEN = 20;

export function Forks() {
  const { params, query } = useRoute();
  const { route } = useLocation();
  const channelId = params.channel ?? "";
  useTitle(`Forks of ${channelId}`);
  useRowKeys();

  const metadata = useResource<Metadata>(
    (signal) => api.get(`/api/v1/channels/${segment(channelId)}/metadata`, {}, signal),
    [channelId],
  );
  const run = useResource<Run | null>((signal) => runOf(channelId, signal), [channelId]);
  // From branch to branch the tree stays where it is.
  const [rootId, setRootId] = useState<string | null>(null);
  const found = metadata.data;
  const parentId = found?.parent_channel_id ?? null;
  const receipt = useResource<Receipt | null>(
    async (signal) =>
      parentId === null ? null : api.getWritten(`/api/v1/channels/${segment(channelId)}/receipt`, {}, signal),
    [channelId, parentId],
  );
  useEffect(() => {
    if (found !== null) setRootId(found.origin_run_id);
  }, [found]);
  const tree = useResource<TreeNode | null>(
    async (signal) => (rootId === null ? null : readTree(rootId, channelId, signal)),
    [rootId],
  );

  const [asked, ask] = useState<"fork" | "promote" | "outcome" | null>(null);
  const [news, tell] = useNews();
  useEffect(() => tell(null), [channelId]);
  const at = Number(query.at) || null;
  const isForking = at !== null || asked === "fork";
  const reload = () => {
    metadata.reload();
    run.reload();
    tree.reload();
  };

  if (metadata.error !== null) return <Trouble error={metadata.error} retry={metadata.reload} />;
  const mayWrite = may("write", channelId);
  // The new run may have any id: whether that one may be written is seen when it is named.
  const mayFork = session.value !== null && allowsSome(session.value.permissions, "write");
  return (
    <>
      <div class="page-head">
        <h1>
          Forks{" "}
          <span class="mono">
            <Said text={channelId} />
          </span>
        </h1>
        {found !== null && <VerdictOf verdict={verdictOf(found)} />}
        {run.data && run.data.lifecycle !== "open" && <Status of="cancelled">{run.data.lifecycle}</Status>}
        <span class="actions">
          <a class="button" href={runPath(channelId)}>
            The run
          </a>
          {parentId !== null && may("read", parentId) && may("read", channelId) && (
            <a class="button" href={comparePath(parentId, channelId)}>
              Compare with its source
            </a>
          )}
          {mayWrite && found !== null && (
            <>
              <button type="button" onClick={() => ask("outcome")}>
                Outcome
              </button>
              {parentId !== null && may("write", parentId) && found.outcome !== "promoted" && (
                <button type="button" onClick={() => ask("promote")}>
                  Promote
                </button>
              )}
            </>
          )}
          {found !== null && mayFork && (
            <button type="button" class="primary" onClick={() => ask("fork")}>
              Fork from here
            </button>
          )}
        </span>
      </div>
      <News news={news} />
      <div class="forks">
        <TreePanel tree={tree.data} current={channelId} rootId={rootId} />
        <div>
          {tree.error !== null && <Trouble error={tree.error} retry={tree.reload} />}
          {receipt.error !== null && <Trouble error={receipt.error} retry={receipt.reload} />}
          {receipt.data && <ReceiptPanel receipt={receipt.data} />}
          {found !== null && parentId === null && (
            <p class="quiet">This run is the root of its tree: it was not forked from anything.</p>
          )}
        </div>
      </div>
      {found !== null && mayFork && isForking && (
        <ForkDialog
          key={channelId}
          channelId={channelId}
          at={at}
          taken={tree.data ? idsOf(tree.data) : []}
          onMade={(made) => route(runPath(made.channel_id))}
          close={() => {
            ask(null);
            // Where the fork is made we are on the new run's page already.
            if (at !== null && location.pathname === new URL(forksPath(channelId), location.href).pathname)
              route(forksPath(channelId), true);
          }}
        />
      )}
      {asked === "promote" && parentId !== null && (
        <PromoteDialog
          channelId={channelId}
          parentId={parentId}
          run={run.data}
          onPromoted={(it) => {
            const state = it.state_version === null ? "" : `; its state is version ${it.state_version} there`;
            tell(
              `${it.replayed ? "It was promoted before" : "Promoted"}: event ${it.cursor} of ${it.parent_channel_id}${state}.`,
            );
            reload();
          }}
          close={() => ask(null)}
        />
      )}
      {asked === "outcome" && found !== null && (
        <OutcomeDialog
          metadata={found}
          onRecorded={() => {
            tell("The outcome is recorded.");
            reload();
          }}
          close={() => ask(null)}
        />
      )}
    </>
  );
}

interface TreePanelProps {
  tree: TreeNode | null;
  current: string;
  rootId: string | null;
}

function TreePanel({ tree, current, rootId }: TreePanelProps) {
  const path = useMemo(
    () => (tree === null ? [] : (pathTo(tree, current) ?? []).map((it) => it.channel_id)),
    [tree, current],
  );
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map());
  const open = useMemo(() => {
    const all = tree === null ? new Set<string>() : openAtFirst(tree, current, NODES_AT_FIRST);
    for (const [id, isOpen] of toggled) isOpen ? all.add(id) : all.delete(id);
    return all;
  }, [tree, current, toggled]);
  const verdicts = useVerdicts(tree, tree === null ? [] : openParents(tree, open));
  if (tree === null)
    return (
      <p class="waiting" role="status">
        Loading…
      </p>
    );
  const runs = countRuns(tree);
  return (
    <section aria-labelledby="tree-title">
      <h2 id="tree-title">
        {count(runs)} {runs === 1 ? "run" : "runs"} <span class="quiet">in this tree</span>
      </h2>
      {runs > EASILY_SEEN && (
        <p>
          <button type="button" class="plain" onClick={goToCurrent}>
            Go to {current}
          </button>
        </p>
      )}
      {rootId !== null && tree.channel_id !== rootId && (
        <p class="quiet">
          The root, <RunLink id={rootId} />, is deleted, too far above, or not yours to see: here is what is
          below <code>{tree.channel_id}</code>.
        </p>
      )}
      <div class="scroll-x">
        <Tree
          root={tree}
          current={current}
          path={path}
          open={open}
          toggle={(id) => setToggled((before) => new Map(before).set(id, !open.has(id)))}
          verdicts={verdicts}
        />
      </div>
    </section>
  );
}

function goToCurrent(): void {
  const link = document.querySelector<HTMLElement>(".fork-node.current a");
  link?.scrollIntoView({ block: "center", inline: "center" });
  link?.focus({ preventScroll: true });
}

/** Parents that are shown with their children. */
function openParents(root: TreeNode, open: ReadonlySet<string>): string[] {
  const found: string[] = [];
  const pending = [root];
  for (let node = pending.shift(); node !== undefined; node = pending.shift()) {
    if (!open.has(node.channel_id) || node.children.length === 0) continue;
    found.push(node.channel_id);
    pending.push(...node.children);
  }
  return found;
}

function idsOf(root: TreeNode): string[] {
  const found: string[] = [];
  const pending = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    found.push(node.channel_id);
    pending.push(...node.children);
  }
  return found;
}

async function runOf(channelId: string, signal: AbortSignal): Promise<Run | null> {
  const { runs } = await api.get<RunsReply>("/api/v1/runs", { prefix: channelId, limit: 1 }, signal);
  return runs.find((it) => it.channel_id === channelId) ?? null;
}

/** The whole tree; where its root cannot be seen, or the run is too deep below it, what is below the run. */
async function readTree(rootId: string, channelId: string, signal: AbortSignal): Promise<TreeNode> {
  const read = (id: string) => api.get<TreeNode>(`/api/v1/channels/${segment(id)}/fork-tree`, {}, signal);
  try {
    const tree = await read(rootId);
    if (pathTo(tree, channelId) !== null) return tree;
  } catch (error) {
    if (!(error instanceof ApiError) || ![403, 404, 410].includes(error.status) || rootId === channelId)
      throw error;
  }
  return read(channelId);
}
