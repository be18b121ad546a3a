/** One operation: what is known of it, what happens next, and what somebody may do about it. */

import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useState } from "preact/hooks";
import { useRoute } from "preact-iso";
import { parseWritten } from "../../api/exact";
import { api, segment } from "../../api/http";
import { type Resource, useResource } from "../../api/resource";
import type { Execution, ExecutionReply } from "../../api/types";
import { countOpenQuestions } from "../../open-questions";
import { may } from "../../session";
import { CopyButton } from "../../ui/copy";
import { operationPath, RunLink, runPath } from "../../ui/links";
import { News, useNews } from "../../ui/news";
import { useRowKeys } from "../../ui/row-keys";
import { Said } from "../../ui/said";
import { Status, standingOf } from "../../ui/status";
import { Ago, useNow } from "../../ui/time";
import { useTitle } from "../../ui/title";
import { Trouble } from "../../ui/trouble";
import { visible } from "../../ui/visible";
import { operationsOf, type Operation as Told } from "../run/operations";
import { Attempts } from "./attempts";
import { CancelDialog } from "./cancel-dialog";
import { providerKeyOf } from "./digests";
import { fingerprintFieldsOf, readHistory, resolutionsOf } from "./history";
import { HistoryList } from "./history-list";
import { mayBeResolved, meaningOf } from "./meaning";
import { ResolveDialog } from "./resolve-dialog";
import type { History, Resolution, Seen } from "./types";
import { canBeUndone, counterpartOf, isUndo, standingOfUndo } from "./undo";
import { UndoPanel, useUndoOf } from "./undo-panel";
import { Evidence, Outcome, Params, Resolutions } from "./values";
import "./operation.css";

const REFRESH_MS = 4_000;
// Somebody else may leave a note that changes nothing of the operation itself.
const NOTES_MS = 15_000;

export function Operation() {
  const { params } = useRoute();
  const id = decodeURIComponent(params.id ?? "");
  useRowKeys();
  const seen = useResource<Seen>((signal) => read(id, signal), [id]);
  // Not before the last answer is there: a slow server is asked less often, not in vain.
  useEvery(seen.loading ? null : REFRESH_MS, seen.reload);
  useTitle(seen.data?.execution.key_name ?? "Operation");
  if (seen.data === null) {
    if (seen.error !== null) return <Trouble error={seen.error} retry={seen.reload} />;
    return (
      <p class="waiting" role="status">
        Loading…
      </p>
    );
  }
  return (
    <>
      {seen.error !== null && <Trouble error={seen.error} retry={seen.reload} />}
      <Whole key={id} seen={seen.data} reload={seen.reload} />
    </>
  );
}

async function read(id: string, signal: AbortSignal): Promise<Seen> {
  const text = await api.getText(`/api/v1/executions/${segment(id)}`, {}, signal);
  const { execution, late_evidence: evidence } = parseWritten<ExecutionReply>(text);
  return { execution, evidence, text };
}

/** While somebody looks; not at all where the time is null. */
function useEvery(ms: number | null, act: () => void): void {
  useEffect(() => {
    if (ms === null) return;
    const timer = setInterval(() => document.hidden || act(), ms);
    return () => clearInterval(timer);
  }, [ms, act]);
}

/** Read again when the operation has changed, or at another `turn`. */
function useHistory({ execution, evidence }: Seen, turn: number): Resource<History> {
  return useResource<History>(
    (signal) => readHistory(execution, signal),
    [
      execution.id,
      execution.attempts,
      execution.status,
      execution.completed_cursor,
      execution.replay_emitted,
      evidence.length,
      turn,
    ],
  );
}

function Whole({ seen, reload }: { seen: Seen; reload: () => void }) {
  const { execution, evidence } = seen;
  const now = useNow();
  const [turn, setTurn] = useState(0);
  const [news, tell] = useNews();
  // What is resolved is what was looked at when the dialog was opened.
  const [looked, setLooked] = useState<Seen | null>(null);
  const [isCancelling, setCancelling] = useState(false);
  const looking = useHistory(seen, turn);
  const history = useLast(looking.data);
  const again = useCallback(() => setTurn((before) => before + 1), []);
  const undo = useUndoOf(execution);
  const events = history?.events ?? [];
  const [operation] = operationsOf(events, [execution]);
  const resolutions = resolutionsOf(events);
  const standing = standingOf(execution, now);
  const isOpen = standing === "ambiguous" || standing === "lapsed" || standing === "running";
  const writes = may("write", execution.channel_id);
  useEvery(isOpen && standing !== "running" && !looking.loading ? NOTES_MS : null, again);

  function done(what: string): void {
    tell(what);
    again();
    reload();
    void countOpenQuestions();
  }

  return (
    <>
      <div class="page-head operation-head">
        <h1 class="mono">
          <Said text={execution.key_name} />
        </h1>
        <Status of={standing} />
        <div class="actions">
          {writes && mayBeResolved(execution, now) && (
            <button
              type="button"
              class={standing === "ambiguous" || standing === "lapsed" ? "primary" : ""}
              onClick={() => setLooked(seen)}
            >
              Resolve…
            </button>
          )}
          {writes && isOpen && (
            <button type="button" onClick={() => setCancelling(true)}>
              Cancel…
            </button>
          )}
        </div>
      </div>
      <News news={news} />
      <MeaningNotice
        seen={seen}
        operation={operation}
        resolutions={resolutions}
        isUndone={standingOfUndo(execution, undo.data) === "undone"}
        now={now}
      />
      <Facts execution={execution} />
      <div class="operation-columns">
        <div>
          {isUndo(execution) && <UndoneEffect execution={execution} />}
          <Evidence execution={execution} evidence={evidence} />
          <Resolutions channelId={execution.channel_id} resolutions={resolutions} />
          <Outcome execution={execution} />
          <Params execution={execution} fields={fingerprintFieldsOf(events)} />
        </div>
        <div>
          <section class="panel" aria-labelledby="attempts-title">
            <h2 id="attempts-title">Attempts</h2>
            {operation !== undefined && (
              <Attempts attempts={operation.attempts} execution={execution} resolutions={resolutions} />
            )}
            {looking.error !== null && <Trouble error={looking.error} retry={looking.reload} />}
            {history === null && looking.error === null && <p class="quiet">Looking through the log…</p>}
            {history?.isWhole === false && (
              <p class="quiet">
                The run is long: what happened to this operation in the middle of it was not looked for. Its{" "}
                <a href={runPath(execution.channel_id, execution.started_cursor)}>log</a> has everything.
              </p>
            )}
          </section>
          {events.length > 0 && (
            <section class="panel" aria-labelledby="history-title">
              <h2 id="history-title">History</h2>
              <HistoryList events={events} />
            </section>
          )}
          {canBeUndone(execution) && <UndoPanel seen={seen} undo={undo} done={done} />}
        </div>
      </div>
      {looked !== null && <ResolveDialog seen={looked} close={() => setLooked(null)} done={done} />}
      {isCancelling && <CancelDialog execution={execution} close={() => setCancelling(false)} done={done} />}
    </>
  );
}

/** What was there last, while the next is on its way. */
function useLast<T>(value: T | null): T | null {
  const [last, setLast] = useState(value);
  useEffect(() => {
    if (value !== null) setLast(value);
  }, [value]);
  return value ?? last;
}

interface MeaningProps {
  seen: Seen;
  operation: Told | undefined;
  resolutions: Resolution[];
  isUndone: boolean;
  now: number;
}

function MeaningNotice({ seen, operation, resolutions, isUndone, now }: MeaningProps) {
  const latest = operation?.attempts.at(-1);
  const { tone, known, next } = meaningOf(
    {
      execution: seen.execution,
      evidence: seen.evidence,
      resolutions,
      owner: latest?.startedAt ? latest.owner : null,
      isGivenUp: latest?.ending === "ambiguous",
      isUndone,
    },
    now,
  );
  return (
    <div class={`notice ${tone === "plain" ? "" : tone}`}>
      <strong>{visible(known)}</strong> {visible(next)}
    </div>
  );
}

function Facts({ execution }: { execution: Execution }) {
  const now = useNow();
  const isRunning = standingOf(execution, now) === "running";
  const providerKey = useResource(
    () => providerKeyOf(execution.channel_id, execution.key_name),
    [execution.id],
  );
  return (
    <dl class="facts">
      <Fact name="tool">
        <span class="mono">
          <Said text={execution.tool_name} />
        </span>
      </Fact>
      <Fact name="run">
        <RunLink id={execution.channel_id} cursor={execution.started_cursor} />
      </Fact>
      <Fact name={execution.attempts === 1 ? "attempt" : "attempts"}>{execution.attempts}</Fact>
      <Fact name="claimed">
        <Ago at={execution.created_at} />
      </Fact>
      <Fact name="changed">
        <Ago at={execution.updated_at} />
      </Fact>
      {execution.lease_until !== null && (
        <Fact name="lease">
          {isRunning ? "ends " : "ended "}
          <Ago at={execution.lease_until} />
        </Fact>
      )}
      {execution.expires_at !== undefined && (
        <Fact name="key expires">
          <Ago at={execution.expires_at} />
        </Fact>
      )}
      {providerKey.data !== null && (
        <Fact name="idempotency key">
          <span
            class="mono"
            title="What current_operation().idempotency_key is here: look for it at the provider, if the tool passes it on."
          >
            {providerKey.data}
          </span>{" "}
          <CopyButton text={() => providerKey.data ?? ""} what="the idempotency key" />
        </Fact>
      )}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function UndoneEffect({ execution }: { execution: Execution }) {
  return (
    <p class="notice">
      This operation takes back another one: <a href={operationPath(counterpartOf(execution))}>its effect</a>.
    </p>
  );
}
