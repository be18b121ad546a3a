/** One event, whole. */

import { api, segment } from "../../api/http";
import { useResource } from "../../api/resource";
import type { Event, VersionSummary } from "../../api/types";
import { may } from "../../session";
import { CopyButton } from "../../ui/copy";
import { JsonBox } from "../../ui/json";
import { forksPath, OperationLink, runPath } from "../../ui/links";
import { Said } from "../../ui/said";
import { Ago, exact } from "../../ui/time";
import { Trouble } from "../../ui/trouble";

interface Props {
  channelId: string;
  cursor: number;
  event: Event | undefined;
  version: VersionSummary | undefined;
}

export function Detail({ channelId, cursor, event, version }: Props) {
  const needed = event === undefined || event.truncated === true;
  const read = useResource<Event | undefined>(
    async (signal) => {
      if (!needed) return undefined;
      const { events } = await api.getWritten<{ events: Event[] }>(
        `/api/v1/events/replay/${segment(channelId)}`,
        { cursor: cursor - 1, limit: 1 },
        signal,
      );
      return events[0];
    },
    [channelId, cursor, needed],
  );
  const it = needed ? read.data : event;
  if (!it) {
    if (read.error !== null) return <Trouble error={read.error} retry={read.reload} />;
    return (
      <p class="waiting" role="status">
        {read.loading ? "Loading…" : `There is no event at cursor ${cursor}.`}
      </p>
    );
  }
  const executionId =
    typeof it.payload.execution_id === "string" && it.type.startsWith("tool.")
      ? it.payload.execution_id
      : null;
  return (
    <article class="detail" aria-label={`Event at cursor ${cursor}`}>
      <h2 class="mono">
        <Said text={it.type} />
      </h2>
      <dl class="facts">
        <div>
          <dt>cursor</dt>
          <dd>{it.cursor}</dd>
        </div>
        <div>
          <dt>at</dt>
          <dd title={exact(it.timestamp)}>
            {new Date(it.timestamp).toLocaleString()}{" "}
            <span class="quiet">
              (<Ago at={it.timestamp} />)
            </span>
          </dd>
        </div>
        <div>
          <dt>by</dt>
          <dd>
            <Said text={it.actor} />
          </dd>
        </div>
        {it.agent_id !== null && (
          <div>
            <dt>agent</dt>
            <dd>
              <Said text={it.agent_id} />
            </dd>
          </div>
        )}
        {it.user_id !== null && (
          <div>
            <dt>user</dt>
            <dd>
              <Said text={it.user_id} />
            </dd>
          </div>
        )}
      </dl>
      <p class="detail-links">
        {executionId !== null && <OperationLink id={executionId} name="The operation" />}
        {version !== undefined && (
          <a href={`${runPath(channelId)}?view=state&version=${version.version}`}>
            State version {version.version}
          </a>
        )}
        {may("write", channelId) && <a href={`${forksPath(channelId)}?at=${cursor}`}>Fork here</a>}
        <CopyButton
          text={() => new URL(runPath(channelId, cursor), location.href).href}
          what="the link to this event"
        />
      </p>
      {it.redacted && <p class="notice">This credential sees that it happened, and not what was said.</p>}
      <JsonBox value={it.payload} label="payload" depth={3} />
      {it.metadata !== null && it.metadata !== undefined && (
        <>
          <h3>Metadata</h3>
          <JsonBox value={it.metadata} label="metadata" />
        </>
      )}
      <p class="quiet mono detail-id">
        {it.id}
        {it.depends_on !== null && ` ← ${it.depends_on}`}
      </p>
    </article>
  );
}
