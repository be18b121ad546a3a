/** The versions of a run's state, one whole and two compared. */

import { useLocation } from "preact-iso";
import { api, segment } from "../../api/http";
import { useResource } from "../../api/resource";
import type { Json, Snapshot, VersionSummary } from "../../api/types";
import { Diff } from "../../ui/diff";
import { JsonBox } from "../../ui/json";
import { runPath } from "../../ui/links";
import { Ago } from "../../ui/time";
import { Trouble } from "../../ui/trouble";

interface Props {
  channelId: string;
  versions: VersionSummary[];
  hasMore: boolean;
  more: () => void;
}

export function States({ channelId, versions, hasMore, more }: Props) {
  const { query, route } = useLocation();
  const newest = versions[0]?.version;
  const version = Number(query.version) || newest;
  const place = versions.findIndex((it) => it.version === version);
  const before = Number(query.against) || versions[place + 1]?.version;
  if (version === undefined) return <p class="empty">This run has saved no state.</p>;
  const go = (left: number | undefined, right: number) =>
    route(
      `${runPath(channelId)}?view=state&version=${right}${left === undefined ? "" : `&against=${left}`}`,
      true,
    );
  return (
    <div class="states">
      <div class="scroll-x versions-list">
        <table>
          <thead>
            <tr>
              <th scope="col">Version</th>
              <th scope="col">Cursor</th>
              <th scope="col">Saved</th>
            </tr>
          </thead>
          <tbody>
            {versions.map((it) => (
              <tr key={it.version} class={it.version === version ? "current" : ""}>
                <td>
                  <a
                    href={`${runPath(channelId)}?view=state&version=${it.version}`}
                    data-row
                    aria-current={it.version === version}
                  >
                    v{it.version}
                  </a>
                </td>
                <td>
                  <a class="num" href={runPath(channelId, it.cursor)}>
                    {it.cursor}
                  </a>
                </td>
                <td>
                  <Ago at={it.timestamp} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        {hasMore && (
          <p class="more">
            <button type="button" onClick={more}>
              Older
            </button>
          </p>
        )}
      </div>
      <div>
        <div class="filters">
          <span>
            Compare{" "}
            <Picker
              versions={versions}
              value={before}
              onPick={(it) => go(it, version)}
              name="older version"
            />
          </span>
          <span>
            with{" "}
            <Picker
              versions={versions}
              value={version}
              onPick={(it) => it !== undefined && go(before, it)}
              name="newer version"
            />
          </span>
        </div>
        <Compared channelId={channelId} left={before} right={version} />
      </div>
    </div>
  );
}

interface PickerProps {
  versions: VersionSummary[];
  value: number | undefined;
  onPick: (version: number | undefined) => void;
  name: string;
}

function Picker({ versions, value, onPick, name }: PickerProps) {
  const known = versions.some((it) => it.version === value);
  return (
    <select
      aria-label={name}
      value={value ?? ""}
      onChange={(event) => onPick(Number(event.currentTarget.value) || undefined)}
    >
      {value === undefined && <option value="">nothing</option>}
      {value !== undefined && !known && <option value={value}>v{value}</option>}
      {versions.map((it) => (
        <option key={it.version} value={it.version}>
          v{it.version}
        </option>
      ))}
    </select>
  );
}

function Compared({
  channelId,
  left,
  right,
}: {
  channelId: string;
  left: number | undefined;
  right: number;
}) {
  const load = (version: number, signal: AbortSignal) =>
    api.getWritten<Snapshot>(`/api/v1/state/${segment(channelId)}/version/${version}`, {}, signal);
  const both = useResource(
    async (signal) => Promise.all([left === undefined ? null : load(left, signal), load(right, signal)]),
    [channelId, left, right],
  );
  if (both.error !== null) return <Trouble error={both.error} retry={both.reload} />;
  if (both.data === null)
    return (
      <p class="waiting" role="status">
        Loading…
      </p>
    );
  const [older, newer] = both.data;
  const state: Json = newer.state ?? null;
  return (
    <>
      {older !== null && (
        <section class="panel" aria-labelledby="diff-title">
          <h2 id="diff-title">
            From v{left} to v{right}
          </h2>
          <Diff left={older.state ?? null} right={state} />
        </section>
      )}
      <section class="panel" aria-labelledby="state-title">
        <h2 id="state-title">State v{right}</h2>
        <JsonBox value={state} label={`state version ${right}`} />
      </section>
    </>
  );
}
