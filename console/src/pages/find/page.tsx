/** One box for everything: a run, a key, a tool, or a business field. */

import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";
import { mayBeginChannelId } from "../../api/channel-ids";
import { api } from "../../api/http";
import { usePages } from "../../api/pages";
import { allowsSome } from "../../api/permissions";
import { useResource } from "../../api/resource";
import type { Execution, ExecutionsReply, RunsReply } from "../../api/types";
import { session } from "../../session";
import { OperationLink, RunLink, runPath } from "../../ui/links";
import { ListEnd } from "../../ui/more";
import { leaveSearchField, useRowKeys } from "../../ui/row-keys";
import { Said } from "../../ui/said";
import { Status, standingOf } from "../../ui/status";
import { Ago } from "../../ui/time";
import { useTitle } from "../../ui/title";
import { toLedgerQuery } from "./query";

export function Find() {
  const { query } = useLocation();
  const wanted = (query.q ?? "").trim();
  useTitle(`Find ${wanted}`);
  useRowKeys();
  // Who sees no params may not search them either.
  const isRefused =
    "field" in toLedgerQuery(wanted) &&
    session.value !== null &&
    !allowsSome(session.value.permissions, "read");
  return (
    <>
      <div class="page-head">
        <h1>
          Find “<Said text={wanted} />”
        </h1>
      </div>
      {isRefused ? (
        <p class="notice warn">
          This key cannot search params: it sees none. Look for a key, a tool or a run instead.
        </p>
      ) : (
        <Found key={wanted} wanted={wanted} />
      )}
    </>
  );
}

function Found({ wanted }: { wanted: string }) {
  const ledgerQuery = toLedgerQuery(wanted);
  const runs = useResource<RunsReply>(
    (signal) =>
      "field" in ledgerQuery || !mayBeginChannelId(wanted)
        ? Promise.resolve({ runs: [], has_more: false })
        : api.get("/api/v1/runs", { prefix: wanted, limit: 10 }, signal),
    [wanted],
  );
  const operations = usePages<Execution>({
    load: async (after, signal) => {
      if (!wanted) return { items: [], next: null };
      const reply = await api.get<ExecutionsReply>(
        "/api/v1/executions",
        { ...ledgerQuery, limit: 50, after },
        signal,
      );
      return { items: reply.executions, next: reply.next ?? null };
    },
    id: (it) => it.id,
    inputs: [wanted],
  });
  const isThere = !runs.loading && !operations.loading;
  // Who has searched with Enter goes on with the first result, unless more is being typed by now.
  useEffect(() => {
    if (isThere) leaveSearchField(wanted);
  }, [isThere, wanted]);
  return (
    <>
      {runs.data !== null && runs.data.runs.length > 0 && (
        <section aria-labelledby="found-runs">
          <h2 id="found-runs">Runs that begin so</h2>
          <ul class="plain-list">
            {runs.data.runs.map((it) => (
              <li key={it.channel_id}>
                <a class="mono" href={runPath(it.channel_id)} data-row>
                  <Said text={it.channel_id} />
                </a>{" "}
                <span class="quiet">
                  <Ago at={it.active_at} />
                </span>
              </li>
            ))}
            {runs.data.has_more && (
              <li>
                <a href={`/runs?prefix=${encodeURIComponent(wanted)}`}>all of them</a>
              </li>
            )}
          </ul>
        </section>
      )}
      <section aria-labelledby="found-operations">
        <h2 id="found-operations">Operations</h2>
        {operations.items.length > 0 && (
          <table class="stacked">
            <thead>
              <tr>
                <th scope="col">Status</th>
                <th scope="col">Key</th>
                <th scope="col">Tool</th>
                <th scope="col">Run</th>
                <th scope="col">Begun</th>
              </tr>
            </thead>
            <tbody>
              {operations.items.map((it) => (
                <tr key={it.id}>
                  <td>
                    <Status of={standingOf(it)} />
                  </td>
                  <td>
                    <OperationLink id={it.id} name={it.key_name} />
                  </td>
                  <td class="mono">
                    <Said text={it.tool_name} />
                  </td>
                  <td>
                    <RunLink id={it.channel_id} cursor={it.started_cursor} />
                  </td>
                  <td>
                    <Ago at={it.created_at} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        <ListEnd pages={operations} none="No operation matches." />
      </section>
    </>
  );
}
