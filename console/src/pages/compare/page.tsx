/** Two runs side by side: what differs in state, effects, outputs and spending. */

import { useLocation } from "preact-iso";
import { ApiError, api } from "../../api/http";
import { useResource } from "../../api/resource";
import type { Run, RunsReply } from "../../api/types";
import { JsonBox } from "../../ui/json";
import { comparePath, forksPath, RunLink } from "../../ui/links";
import { useRowKeys } from "../../ui/row-keys";
import { Said } from "../../ui/said";
import { Ago, count } from "../../ui/time";
import { useTitle } from "../../ui/title";
import { Trouble } from "../../ui/trouble";
import { RunStatus } from "../runs/page";
import { Effects } from "./effects-table";
import { Entries } from "./entries";
import { figuresOf } from "./figures";
import { Picker } from "./picker";
import type { Comparison } from "./types";
import "./compare.css";

export function Compare() {
  const { query, route } = useLocation();
  const { left = "", right = "" } = query;
  useTitle(left && right ? `${left} and ${right}` : "Compare");
  useRowKeys();
  return (
    <>
      <div class="page-head">
        <h1>Compare</h1>
      </div>
      <Picker left={left} right={right} go={(one, other) => route(comparePath(one, other))} />
      {left && right ? (
        <Compared left={left} right={right} />
      ) : (
        <p class="empty">Choose two runs. A fork and its source tell most; any two can be compared.</p>
      )}
    </>
  );
}

function Compared({ left, right }: { left: string; right: string }) {
  const found = useResource<Comparison>(
    (signal) => api.getWritten("/api/v1/channels/compare", { left, right }, signal),
    [left, right],
  );
  const runs = useResource(
    (signal) => Promise.all([left, right].map((it) => runOf(it, signal))),
    [left, right],
  );
  if (found.error !== null) return <Trouble error={found.error} retry={found.reload} />;
  if (found.data === null)
    return (
      <p class="waiting" role="status">
        Comparing…
      </p>
    );
  const it = found.data;
  const [leftRun, rightRun] = runs.data ?? [null, null];
  const figures = figuresOf(it.metrics);
  return (
    <>
      <div class="two">
        <SideHead name="Left" of={it} side="left" run={leftRun ?? null} />
        <SideHead name="Right" of={it} side="right" run={rightRun ?? null} />
      </div>
      <Kinship of={it} />

      <section class="panel" aria-labelledby="spent">
        <h2 id="spent">Spent</h2>
        {figures.length === 0 ? (
          <p class="quiet">Neither recorded tokens, cost or latency.</p>
        ) : (
          <table class="figures">
            <thead>
              <tr>
                <td />
                <th scope="col" class="num">
                  Left
                </th>
                <th scope="col" class="num">
                  Right
                </th>
                <th scope="col" class="num">
                  Difference
                </th>
              </tr>
            </thead>
            <tbody>
              {figures.map((figure) => (
                <tr key={figure.name}>
                  <th scope="row">{figure.name}</th>
                  <td class="num">{figure.left ?? "–"}</td>
                  <td class="num">{figure.right ?? "–"}</td>
                  <td class="num">{figure.delta ?? "–"}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        <p class="quiet">A fork's figures are its own: what it inherits, its ancestors paid for.</p>
      </section>

      <section class="panel" aria-labelledby="states">
        <h2 id="states">State</h2>
        <Entries of={it} none={tellAlike(it)} />
        <details class="whole">
          <summary>Both states, whole</summary>
          <div class="two">
            <JsonBox
              value={it.left.cursor === null ? undefined : it.left.state}
              label={`state of ${left}`}
              depth={1}
            />
            <JsonBox
              value={it.right.cursor === null ? undefined : it.right.state}
              label={`state of ${right}`}
              depth={1}
            />
          </div>
        </details>
      </section>

      <section class="panel" aria-labelledby="effects">
        <h2 id="effects">Effects</h2>
        <Effects of={it} />
      </section>

      <section class="panel" aria-labelledby="outputs">
        <h2 id="outputs">Last output</h2>
        {it.output_diff.left === null && it.output_diff.right === null ? (
          <p class="quiet">Neither has put anything out.</p>
        ) : (
          <>
            <p class="quiet">{it.output_diff.equal ? "Both put out the same." : "They differ."}</p>
            <div class="two">
              <JsonBox value={it.output_diff.left ?? undefined} label={`output of ${left}`} />
              <JsonBox value={it.output_diff.right ?? undefined} label={`output of ${right}`} />
            </div>
          </>
        )}
      </section>

      <section class="panel" aria-labelledby="manifests">
        <h2 id="manifests">Manifest</h2>
        <Entries of={it.manifest_diff} none="No difference in what they were declared with." />
      </section>
    </>
  );
}

interface SideHeadProps {
  name: string;
  of: Comparison;
  side: "left" | "right";
  run: Run | null;
}

function SideHead({ name, of, side, run }: SideHeadProps) {
  const id = side === "left" ? of.left_channel_id : of.right_channel_id;
  const parted = side === "left" ? of.left_diverged_at_cursor : of.right_diverged_at_cursor;
  const at = of[side].cursor;
  return (
    <section class="panel side-head">
      <h2>
        <span class="quiet">{name}</span> <RunLink id={id} />
      </h2>
      {run?.display_name && run.display_name !== id && (
        <p>
          <Said text={run.display_name} />
        </p>
      )}
      <dl class="facts">
        {run !== null && (
          <>
            <div>
              <dt>status</dt>
              <dd>
                <RunStatus run={run} />
              </dd>
            </div>
            <div>
              <dt>outcome</dt>
              <dd>{run.outcome ?? "none"}</dd>
            </div>
            <div>
              <dt>lifecycle</dt>
              <dd>{run.lifecycle}</dd>
            </div>
            <div>
              <dt>events</dt>
              <dd>{count(run.cursor)}</dd>
            </div>
            <div>
              <dt>active</dt>
              <dd>
                <Ago at={run.active_at} />
              </dd>
            </div>
          </>
        )}
        <div>
          <dt>state</dt>
          <dd>{at === null ? "none" : `at cursor ${at}`}</dd>
        </div>
        {parted !== null && (
          <div>
            <dt>parted</dt>
            <dd>at cursor {parted}</dd>
          </div>
        )}
      </dl>
    </section>
  );
}

/** Where both come from. */
function Kinship({ of }: { of: Comparison }) {
  const { common, left_diverged_at_cursor: left, right_diverged_at_cursor: right } = of;
  if (of.left_channel_id === of.right_channel_id)
    return <p class="notice">This is one run, on both sides.</p>;
  if (left === null && right === null && common === null)
    return <p class="quiet kinship">They share no tree: nothing is inherited, everything is compared.</p>;
  if (common === null) return <p class="quiet kinship">They come from one run.</p>;
  return (
    <p class="quiet kinship">
      Both come from <RunLink id={common.channel_id} />
      {common.cursor !== null && <> and its state at cursor {common.cursor}</>}. “Parted at” is in its
      numbering. <a href={forksPath(common.channel_id)}>The tree</a>
    </p>
  );
}

function tellAlike(it: Comparison): string {
  return it.left.cursor === null && it.right.cursor === null
    ? "Neither has saved a state."
    : "No difference.";
}

async function runOf(channelId: string, signal: AbortSignal): Promise<Run | null> {
  try {
    const { runs } = await api.get<RunsReply>("/api/v1/runs", { prefix: channelId, limit: 1 }, signal);
    return runs.find((it) => it.channel_id === channelId) ?? null;
  } catch (error) {
    if (error instanceof ApiError && error.status !== 0) return null;
    throw error;
  }
}
