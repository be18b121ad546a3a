/** How the server is doing: what needs attention first, then what it did over the last hour. */

import { useEffect, useState } from "preact/hooks";
import { api } from "../../api/http";
import { allowsSome } from "../../api/permissions";
import { type Resource, useResource } from "../../api/resource";
import { session } from "../../session";
import { useRowKeys } from "../../ui/row-keys";
import { Said } from "../../ui/said";
import { Status } from "../../ui/status";
import { Ago, count, span } from "../../ui/time";
import { useTitle } from "../../ui/title";
import { Trouble } from "../../ui/trouble";
import { visible } from "../../ui/visible";
import { AttentionList } from "./attention";
import { bytes, type Unit } from "./figures";
import { tellGuard, tellTarget, usesOf } from "./guards";
import { Plot } from "./plot";
import type { Guard, HealthReply, Series } from "./types";
import "./health.css";

const REFRESH_MS = 10_000;
const USES_SHOWN = 5;
const TABLES_AT_FIRST = 8;

type Sampled = Exclude<keyof Series, "times">;

const PLOTS: { title: string; unit: Unit; lines: [Sampled, string][] }[] = [
  {
    title: "Throughput",
    unit: "per second",
    lines: [
      ["requests_per_second", "requests"],
      ["claims_per_second", "claims"],
      ["events_per_second", "events"],
    ],
  },
  {
    title: "Time of a batch",
    unit: "milliseconds",
    lines: [
      ["batch_milliseconds_p50", "median"],
      ["batch_milliseconds_p99", "99 %"],
    ],
  },
  { title: "Asks in a batch", unit: "number", lines: [["batch_asks", "mean"]] },
  { title: "Waiting for the writer", unit: "whole", lines: [["writer_waiting", "asks"]] },
  { title: "Database connections", unit: "whole", lines: [["pool_active", "in use"]] },
  { title: "Live delivery", unit: "whole", lines: [["stream_lag", "events behind"]] },
  { title: "Subscribers", unit: "whole", lines: [["subscribers", "open"]] },
  { title: "Memory", unit: "bytes", lines: [["memory_bytes", "of the server"]] },
];

function useRefreshed<T>(resource: Resource<T>): Resource<T> {
  const { reload } = resource;
  useEffect(() => {
    const timer = setInterval(() => document.hidden || reload(), REFRESH_MS);
    return () => clearInterval(timer);
  }, [reload]);
  return resource;
}

export function Health() {
  useTitle("Health");
  useRowKeys();
  const health = useRefreshed(
    useResource<HealthReply>((signal) => api.get("/api/v1/console/health", {}, signal), []),
  );
  const it = health.data;
  return (
    <div class="health">
      <div class="page-head">
        <h1>Health</h1>
        {it !== null && (
          <span class="quiet">
            as of <Ago at={it.at} />
          </span>
        )}
      </div>
      {health.error !== null && <Trouble error={health.error} retry={health.reload} />}
      {it === null && health.error === null && (
        <p class="waiting" role="status">
          Loading…
        </p>
      )}
      {it !== null && (
        <>
          <section aria-labelledby="attention">
            <h2 id="attention">Needs attention</h2>
            <AttentionList of={it.attention} />
          </section>
          <section aria-labelledby="plots">
            <h2 id="plots">
              Over time <span class="quiet">{tellSpan(it)}</span>
            </h2>
            <div class="plots">
              {PLOTS.map(({ title, unit, lines }) => (
                <Plot
                  key={title}
                  title={title}
                  unit={unit}
                  times={it.series.times}
                  lines={lines.map(([name, label]) => ({ label, samples: it.series[name] }))}
                />
              ))}
            </div>
          </section>
        </>
      )}
      {session.value !== null && allowsSome(session.value.permissions, "admin") && <Guards />}
      {it?.sizes && <Sizes of={it.sizes} />}
      {it !== null && <ServerFacts of={it.server} />}
    </div>
  );
}

function tellSpan({ series: { times }, interval_seconds }: HealthReply): string {
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined) return "nothing is measured yet";
  return `the last ${span((last - first + interval_seconds) * 1_000)}, every ${interval_seconds} s`;
}

function Guards() {
  const found = useRefreshed(
    useResource<{ guards: Guard[] }>((signal) => api.get("/api/v1/guards", {}, signal), []),
  );
  return (
    <section aria-labelledby="guards">
      <h2 id="guards">Guards</h2>
      {found.error !== null && <Trouble error={found.error} retry={found.reload} />}
      {found.data?.guards.length === 0 && <p class="quiet">No tool is frozen, and nothing has a budget.</p>}
      {found.data !== null && found.data.guards.length > 0 && (
        <table class="stacked guards">
          <thead>
            <tr>
              <th scope="col">Kind</th>
              <th scope="col">For</th>
              <th scope="col">Does</th>
              <th scope="col">Used</th>
              <th scope="col">Since</th>
            </tr>
          </thead>
          <tbody>
            {found.data.guards.map((it) => (
              <GuardRow key={it.guard_id} of={it} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function GuardRow({ of }: { of: Guard }) {
  const uses = usesOf(of);
  return (
    <tr>
      <td>
        {of.kind === "freeze" ? (
          <Status of="interrupted">frozen</Status>
        ) : of.kind === "budget" ? (
          "budget"
        ) : (
          "duplicates"
        )}
      </td>
      <td data-label="For" class="mono">
        <Said text={tellTarget(of)} />
      </td>
      <td data-label="Does">{visible(tellGuard(of))}</td>
      <td data-label="Used">
        {of.kind === "budget" && uses.length === 0 && <span class="quiet">nothing</span>}
        {uses.slice(0, USES_SHOWN).map((it) => (
          <div key={it.of} class="use">
            <span class="quiet mono">
              <Said text={it.of} />
            </span>{" "}
            {it.words}
            <Bar part={it.part} isFull={it.part >= 1} />
          </div>
        ))}
        {uses.length > USES_SHOWN && <span class="quiet">and {uses.length - USES_SHOWN} more</span>}
      </td>
      <td data-label="Since">
        <Ago at={of.created_at} />{" "}
        <span class="quiet">
          by <Said text={of.created_by} />
        </span>
      </td>
    </tr>
  );
}

function Sizes({ of }: { of: NonNullable<HealthReply["sizes"]> }) {
  const tables = [...of.tables].sort((one, other) => other.bytes - one.bytes);
  const largest = Math.max(1, tables[0]?.bytes ?? 0);
  const [isWhole, showWhole] = useState(false);
  const shown = isWhole ? tables : tables.slice(0, TABLES_AT_FIRST);
  return (
    <section aria-labelledby="sizes">
      <h2 id="sizes">
        Sizes <span class="quiet">the database has {bytes(of.database_bytes)}</span>
      </h2>
      <table class="sizes">
        <thead>
          <tr>
            <th scope="col">Table</th>
            <th scope="col" class="num">
              Rows
            </th>
            <th scope="col" class="num">
              Size
            </th>
            <td />
          </tr>
        </thead>
        <tbody>
          {shown.map((it) => (
            <tr key={it.name}>
              <th scope="row" class="mono">
                {it.name}
              </th>
              <td class="num">{it.rows === null ? "–" : count(it.rows)}</td>
              <td class="num">{bytes(it.bytes)}</td>
              <td class="bar-cell">
                <Bar part={it.bytes / largest} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length < tables.length && (
        <p>
          <button type="button" class="plain" onClick={() => showWhole(true)}>
            {tables.length - shown.length} smaller tables
          </button>
        </p>
      )}
    </section>
  );
}

function Bar({ part, isFull = false }: { part: number; isFull?: boolean }) {
  return (
    <svg
      class={isFull ? "bar full" : "bar"}
      viewBox="0 0 100 6"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <rect class="track" width="100" height="6" />
      <rect class="part" width={Math.max(0.5, part * 100)} height="6" />
    </svg>
  );
}

function ServerFacts({ of }: { of: HealthReply["server"] }) {
  return (
    <section aria-labelledby="server">
      <h2 id="server">Server</h2>
      <dl class="facts">
        <div>
          <dt>version</dt>
          <dd>{of.version}</dd>
        </div>
        <div>
          <dt>up for</dt>
          <dd>{span(of.uptime_seconds * 1_000)}</dd>
        </div>
        <div>
          <dt>workers</dt>
          <dd>{count(of.workers)}</dd>
        </div>
        <div>
          <dt>instance</dt>
          <dd class="mono">{of.instance_id}</dd>
        </div>
      </dl>
    </section>
  );
}
