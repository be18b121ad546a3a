/** All runs, the latest activity first. */

import { useLocation } from "preact-iso";
import { mayBeginChannelId } from "../../api/channel-ids";
import { api } from "../../api/http";
import { usePages } from "../../api/pages";
import type { Effects, Run, RunsReply } from "../../api/types";
import { forksPath, RunLink, runPath } from "../../ui/links";
import { ListEnd } from "../../ui/more";
import { useRowKeys } from "../../ui/row-keys";
import { Said } from "../../ui/said";
import { type Standing, Status } from "../../ui/status";
import { Ago, count } from "../../ui/time";
import { useTitle } from "../../ui/title";
import { PrefixFilter } from "./prefix-filter";
import "./runs.css";

const REFRESH_MS = 3_000;

export function Runs() {
  useTitle("Runs");
  useRowKeys();
  const { query, route } = useLocation();
  const prefix = query.prefix ?? "";
  const runs = usePages<Run>({
    load: async (after, signal) => {
      if (prefix !== "" && !mayBeginChannelId(prefix)) return { items: [], next: null };
      const reply = await api.get<RunsReply>("/api/v1/runs", { limit: 50, after, prefix }, signal);
      return { items: reply.runs, next: reply.next ?? null };
    },
    id: (it) => it.channel_id,
    inputs: [prefix],
    refreshMs: REFRESH_MS,
  });
  return (
    <>
      <div class="page-head">
        <h1>Runs</h1>
        <PrefixFilter
          prefix={prefix}
          search={(it) => route(it ? `/runs?prefix=${encodeURIComponent(it)}` : "/runs", true)}
        />
      </div>
      {runs.items.length > 0 && (
        <table class="runs">
          <thead>
            <tr>
              <th scope="col">Run</th>
              <th scope="col">Status</th>
              <th scope="col">Effects</th>
              <th scope="col" class="num">
                Events
              </th>
              <th scope="col" class="num">
                Tokens
              </th>
              <th scope="col">Last</th>
            </tr>
          </thead>
          <tbody>
            {runs.items.map((it) => (
              <RunRow key={it.channel_id} run={it} />
            ))}
          </tbody>
        </table>
      )}
      <ListEnd
        pages={runs}
        none={prefix ? `No run begins with “${prefix}”.` : "No run has written anything yet."}
      />
    </>
  );
}

function RunRow({ run }: { run: Run }) {
  return (
    <tr>
      <td class="who-is-it">
        <a class="mono" href={runPath(run.channel_id)} data-row>
          <Said text={run.channel_id} />
        </a>
        {run.display_name && (
          <div>
            <Said text={run.display_name} />
          </div>
        )}
        {run.source_channel_id !== null && (
          <div class="quiet">
            fork of <RunLink id={run.source_channel_id} />
          </div>
        )}
        {run.forks > 0 && (
          <div>
            <a href={forksPath(run.channel_id)}>
              {run.forks >= 100 ? "100+" : run.forks} {run.forks === 1 ? "fork" : "forks"}
            </a>
          </div>
        )}
      </td>
      <td data-label="Status">
        <RunStatus run={run} />
      </td>
      <td data-label="Effects">
        <EffectCounts effects={run.effects} />
      </td>
      <td data-label="Events" class="num">
        {count(run.cursor)}
      </td>
      <td data-label="Tokens" class="num">
        {tokens(run)}
      </td>
      <td data-label="Last">
        <Ago at={run.active_at} />
        {run.last_event !== null && (
          <div class="quiet mono last-event">
            <Said text={run.last_event.event_type} />
          </div>
        )}
      </td>
    </tr>
  );
}

/** The worst that can be said of a run goes first: an effect whose outcome nobody knows. */
export function RunStatus({ run }: { run: Pick<Run, "effects" | "lifecycle" | "outcome"> }) {
  const { effects, lifecycle, outcome } = run;
  if (effects.ambiguous > 0) return <Status of="ambiguous">unresolved</Status>;
  if (effects.lapsed > 0) return <Status of="lapsed">lapsed</Status>;
  if (outcome === "crashed") return <Status of="failed">crashed</Status>;
  if (outcome !== null)
    return <Status of={outcome === "promoted" ? "completed" : "cancelled"}>{outcome}</Status>;
  if (effects.running > 0) return <Status of="running">working</Status>;
  if (lifecycle !== "open") return <Status of="cancelled">{lifecycle}</Status>;
  return <span class="quiet">open</span>;
}

const ORDER: Standing[] = ["ambiguous", "lapsed", "running", "failed", "completed", "cancelled"];

export function EffectCounts({ effects }: { effects: Effects }) {
  const present = ORDER.filter((it) => effects[it as keyof Effects]);
  if (present.length === 0) return <span class="quiet">none</span>;
  return (
    <span class="effect-counts">
      {present.map((it) => (
        <Status
          key={it}
          of={it}
        >{`${count(Number(effects[it as keyof Effects]))}${effects.more ? "+" : ""} ${it}`}</Status>
      ))}
    </span>
  );
}

function tokens(run: Run) {
  const told = run.tokens;
  if (told === null || (told.input === null && told.output === null)) return <span class="quiet">–</span>;
  const sum = (told.input ?? 0) + (told.output ?? 0);
  return (
    <span title={`${told.input ?? 0} in, ${told.output ?? 0} out`}>
      {told.partial ? "≥ " : ""}
      {count(sum)}
    </span>
  );
}
