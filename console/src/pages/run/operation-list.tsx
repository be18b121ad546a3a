/** The ledger of one run, newest first. */

import { useState } from "preact/hooks";
import { api } from "../../api/http";
import { useResource } from "../../api/resource";
import type { ExecutionsReply } from "../../api/types";
import { OperationLink, runPath } from "../../ui/links";
import { Said } from "../../ui/said";
import { Status, standingOf } from "../../ui/status";
import { Ago, useNow } from "../../ui/time";
import { Trouble } from "../../ui/trouble";

const PAGE = 100;

export function Operations({ channelId }: { channelId: string }) {
  const [page, setPage] = useState(0);
  const now = useNow();
  const found = useResource<ExecutionsReply>(
    (signal) =>
      api.get("/api/v1/executions", { channel_id: channelId, limit: PAGE, offset: page * PAGE }, signal),
    [channelId, page],
  );
  if (found.error !== null) return <Trouble error={found.error} retry={found.reload} />;
  if (found.data === null)
    return (
      <p class="waiting" role="status">
        Loading…
      </p>
    );
  if (found.data.executions.length === 0) return <p class="empty">This run has claimed nothing.</p>;
  return (
    <>
      <table class="stacked">
        <thead>
          <tr>
            <th scope="col">Status</th>
            <th scope="col">Key</th>
            <th scope="col">Tool</th>
            <th scope="col" class="num">
              Attempts
            </th>
            <th scope="col">Log</th>
            <th scope="col">Changed</th>
          </tr>
        </thead>
        <tbody>
          {found.data.executions.map((it) => (
            <tr key={it.id}>
              <td>
                <Status of={standingOf(it, now)} />
              </td>
              <td>
                <OperationLink id={it.id} name={it.key_name} />
              </td>
              <td class="mono">
                <Said text={it.tool_name} />
              </td>
              <td class="num" data-label="Attempts">
                {it.attempts}
              </td>
              <td data-label="Log">
                {it.started_cursor !== null && (
                  <a href={runPath(channelId, it.started_cursor)}>{it.started_cursor}</a>
                )}
                {it.completed_cursor !== null && (
                  <>
                    –<a href={runPath(channelId, it.completed_cursor)}>{it.completed_cursor}</a>
                  </>
                )}
              </td>
              <td>
                <Ago at={it.updated_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="more">
        {page > 0 && (
          <button type="button" onClick={() => setPage(page - 1)}>
            Newer
          </button>
        )}{" "}
        {found.data.has_more && (
          <button type="button" onClick={() => setPage(page + 1)}>
            Older
          </button>
        )}
      </p>
    </>
  );
}
