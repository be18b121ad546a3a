/** One run: what happened, in order and in time, and what is open. */

import { useEffect, useMemo, useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { api, segment } from "../../api/http";
import { useResource } from "../../api/resource";
import type { ExecutionsReply, RunsReply, VersionSummary } from "../../api/types";
import { comparePath, forksPath, RunLink, runPath } from "../../ui/links";
import { useRowKeys } from "../../ui/row-keys";
import { Said } from "../../ui/said";
import { Ago, count } from "../../ui/time";
import { useTitle } from "../../ui/title";
import { Trouble } from "../../ui/trouble";
import { EffectCounts, RunStatus } from "../runs/page";
import { Chart } from "./chart";
import { Detail } from "./detail";
import { Log } from "./log";
import { Operations } from "./operation-list";
import { operationsOf } from "./operations";
import { presenceOf } from "./presence";
import { States } from "./states";
import { LogWindow } from "./window";
import "./run.css";

const VIEWS = [
  ["log", "Log"],
  ["effects", "Effects"],
  ["state", "State"],
] as const;
const SETTLE_MS = 250;

export function Run() {
  const { params } = useRoute();
  return <RunOf key={params.channel} channelId={params.channel ?? ""} />;
}

function RunOf({ channelId }: { channelId: string }) {
  const { query, route } = useLocation();
  useTitle(channelId);
  useRowKeys();
  const view = query.view ?? "log";
  const selected = Number(query.cursor) || null;
  const select = (cursor: number) => route(runPath(channelId, cursor), true);

  const log = useMemo(() => new LogWindow(channelId), [channelId]);
  useEffect(() => {
    void log.open(selected);
    return () => log.stop();
    // Not for a cursor that is chosen later: it is in view, or is read by itself.
  }, [log]);

  const run = useResource(
    async (signal) => {
      const { runs } = await api.get<RunsReply>("/api/v1/runs", { prefix: channelId, limit: 1 }, signal);
      return runs.find((it) => it.channel_id === channelId) ?? null;
    },
    [channelId],
  );
  const executions = useResource<ExecutionsReply>(
    (signal) => api.get("/api/v1/executions", { channel_id: channelId, limit: 100 }, signal),
    [channelId],
  );
  const [versionsShown, showVersions] = useState(100);
  const versions = useResource<{ versions: VersionSummary[] }>(
    (signal) => api.get(`/api/v1/state/${segment(channelId)}/versions`, { limit: versionsShown }, signal),
    [channelId, versionsShown],
  );

  // What arrives may have changed the ledger and the state; a burst is looked at once.
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const forget = log.onArrival(() => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        run.reload();
        executions.reload();
        versions.reload();
      }, SETTLE_MS);
    });
    return () => {
      clearTimeout(timer);
      forget();
    };
  }, [log, run.reload, executions.reload, versions.reload]);

  const events = log.events.value;
  const rows = executions.data?.executions;
  const operations = useMemo(() => operationsOf(events, rows), [events, rows]);
  const saved = versions.data?.versions ?? [];
  const it = run.data;
  const presence = presenceOf({
    run,
    log: { error: log.error.value, isLoading: log.isLoading.value, isEmpty: events.length === 0 },
  });
  if (presence !== "there") return <Absent channelId={channelId} isAsked={presence === "asking"} />;
  return (
    <>
      <div class="page-head">
        <h1 class="mono">
          <Said text={channelId} />
        </h1>
        {it?.display_name && <Said text={it.display_name} />}
        {it && <RunStatus run={it} />}
        <span class="connection" data-state={log.connection.value} role="status">
          {log.hasLater && !log.isLoading.value ? "not at the end" : log.connection.value}
        </span>
        <span class="actions">
          <a class="button" href={forksPath(channelId)}>
            Forks{it && it.forks > 0 ? ` (${it.forks})` : ""}
          </a>
          {it?.source_channel_id && (
            <a class="button" href={comparePath(it.source_channel_id, channelId)}>
              Compare with its source
            </a>
          )}
        </span>
      </div>
      {run.error !== null && log.error.value === null && <Trouble error={run.error} retry={run.reload} />}
      {it && (
        <dl class="facts">
          <div>
            <dt>effects</dt>
            <dd>
              <EffectCounts effects={it.effects} />
            </dd>
          </div>
          <div>
            <dt>events</dt>
            <dd>{count(log.head.value)}</dd>
          </div>
          <div>
            <dt>state</dt>
            <dd>{it.version > 0 ? `v${it.version}` : "none"}</dd>
          </div>
          {it.latest_step > 0 && (
            <div>
              <dt>step</dt>
              <dd>{it.latest_step}</dd>
            </div>
          )}
          {it.source_channel_id && (
            <div>
              <dt>fork of</dt>
              <dd>
                <RunLink id={it.source_channel_id} />
              </dd>
            </div>
          )}
          {it.tokens && (
            <div>
              <dt>tokens</dt>
              <dd>
                {count(it.tokens.input ?? 0)} in, {count(it.tokens.output ?? 0)} out
              </dd>
            </div>
          )}
          <div>
            <dt>begun</dt>
            <dd>
              <Ago at={it.created_at} />
            </dd>
          </div>
          <div>
            <dt>active</dt>
            <dd>
              <Ago at={it.active_at} />
            </dd>
          </div>
        </dl>
      )}
      <nav class="tabs" aria-label="Views of this run">
        {VIEWS.map(([name, title]) => (
          <a
            key={name}
            href={name === "log" ? runPath(channelId) : `${runPath(channelId)}?view=${name}`}
            aria-current={view === name ? "page" : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      {log.error.value !== null && <Trouble error={log.error.value} retry={() => void log.open(selected)} />}
      {view === "state" && (
        <States
          channelId={channelId}
          versions={saved}
          hasMore={saved.length >= versionsShown}
          more={() => showVersions(versionsShown * 5)}
        />
      )}
      {view === "state" && versions.error !== null && <Trouble error={versions.error} />}
      {view === "effects" && <Operations channelId={channelId} />}
      {view === "log" && (
        <>
          {events.length > 0 && (
            <Chart
              events={events}
              versions={saved}
              operations={operations}
              selected={selected}
              select={select}
            />
          )}
          <div class={selected === null ? "log-and-detail" : "log-and-detail with-detail"}>
            <div>
              {log.hasEarlier && events.length > 0 && (
                <button
                  type="button"
                  class="edge"
                  disabled={log.isLoading.value}
                  onClick={() => void log.earlier()}
                >
                  {log.isLoading.value ? "Loading…" : `${count(log.first - 1)} earlier events`}
                </button>
              )}
              {events.length > 0 ? (
                <Log
                  events={events}
                  versions={saved}
                  selected={selected}
                  select={select}
                  follows={selected === null && !log.hasLater}
                />
              ) : (
                <p class="empty">{log.isLoading.value ? "Loading…" : "No events."}</p>
              )}
              {log.hasLater && events.length > 0 && (
                <button
                  type="button"
                  class="edge"
                  disabled={log.isLoading.value}
                  onClick={() => void log.later()}
                >
                  {log.isLoading.value ? "Loading…" : `${count(log.head.value - log.last)} later events`}
                </button>
              )}
            </div>
            {selected !== null && (
              <Detail
                channelId={channelId}
                cursor={selected}
                event={events[selected - log.first]}
                version={saved.find((each) => each.cursor === selected)}
              />
            )}
          </div>
        </>
      )}
    </>
  );
}

function Absent({ channelId, isAsked }: { channelId: string; isAsked: boolean }) {
  return (
    <>
      <div class="page-head">
        <h1 class="mono">
          <Said text={channelId} />
        </h1>
      </div>
      {isAsked ? (
        <p class="waiting" role="status">
          Loading…
        </p>
      ) : (
        <p class="notice warn" role="status">
          No run of this name has written anything, or it is not yours to see.
        </p>
      )}
    </>
  );
}
