/** Taking an effect back: a server runs no tools, so here is how it is run, and where it is written down. */

import { useRef, useState } from "preact/hooks";
import { ApiError, api, segment } from "../../api/http";
import { newId } from "../../api/ids";
import { type Resource, useResource } from "../../api/resource";
import type { Execution, ExecutionReply, ExecutionsReply } from "../../api/types";
import { may, personName } from "../../session";
import { CopyButton } from "../../ui/copy";
import { ActionDialog } from "../../ui/dialog";
import { operationPath } from "../../ui/links";
import { PersonField } from "../../ui/person-field";
import { RecordPreview } from "../../ui/record-preview";
import { Said } from "../../ui/said";
import { Status, standingOf } from "../../ui/status";
import { Ago } from "../../ui/time";
import { Trouble } from "../../ui/trouble";
import { visible } from "../../ui/visible";
import { told } from "./refusals";
import type { Seen } from "./types";
import {
  canBeUndone,
  counterpartOf,
  KEY_MAX,
  plannedUndo,
  recordUndone,
  standingOfUndo,
  undoCommand,
  undoKeyOf,
} from "./undo";

/** The operation that takes an effect back, where there is one. */
export function useUndoOf(execution: Execution): Resource<Execution | null> {
  const id = canBeUndone(execution) ? counterpartOf(execution) : null;
  return useResource<Execution | null>(
    async (signal) => (id === null ? null : readUndo(execution, id, signal)),
    [id, execution.updated_at],
  );
}

interface Props {
  seen: Seen;
  undo: Resource<Execution | null>;
  done: (what: string) => void;
}

export function UndoPanel({ seen, undo, done }: Props) {
  const { execution } = seen;
  const [isAsked, ask] = useState(false);
  if (undo.error !== null) return <Trouble error={undo.error} retry={undo.reload} />;
  if (undo.loading && undo.data === null) return null;
  const standing = standingOfUndo(execution, undo.data);
  const isOver = standing === "undone" || standing === "hidden";
  return (
    <section class="panel" aria-labelledby="undo-title">
      <h2 id="undo-title">Undo</h2>
      {undo.data !== null && <UndoState standing={standing} undo={undo.data} />}
      {(standing === "none" || standing === "not-yet") && (
        <>
          <p>
            The server runs no tools. Where the compensation is at hand, this takes it back, and with it{" "}
            <strong>everything that the run completed after it</strong>, the last first:
          </p>
          <p class="command">
            <code>{visible(undoCommand(execution))}</code>
            <CopyButton text={() => undoCommand(execution)} what="the command" />
          </p>
          {may("write", execution.channel_id) && !execution.redacted && (
            <p>
              Somebody has taken it back at the provider?{" "}
              <button type="button" onClick={() => ask(true)}>
                Record as undone by hand…
              </button>
            </p>
          )}
        </>
      )}
      {isAsked && !isOver && (
        <UndoneDialog
          seen={seen}
          close={() => ask(false)}
          done={(what) => {
            undo.reload();
            done(what);
          }}
        />
      )}
    </section>
  );
}

/** Most effects were never undone: the list of its keys says so without an error. */
async function readUndo(effect: Execution, id: string, signal: AbortSignal): Promise<Execution | null> {
  const wanted = { channel_id: effect.channel_id, key_prefix: undoKeyOf(effect), limit: 100 };
  if (wanted.key_prefix.length > KEY_MAX) return null;
  const { executions, has_more } = await api.get<ExecutionsReply>("/api/v1/executions", wanted, signal);
  const found = executions.find((it) => it.id === id);
  return found ?? (has_more ? readIfThere(id, signal) : null);
}

async function readIfThere(id: string, signal: AbortSignal): Promise<Execution | null> {
  try {
    const reply = await api.get<ExecutionReply>(`/api/v1/executions/${segment(id)}`, {}, signal);
    return reply.execution;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

const WORDS: Record<ReturnType<typeof standingOfUndo>, string> = {
  none: "",
  undone: "It is undone. The record of the effect stays, and claims of its key still get its result.",
  "of-earlier-effect":
    "An earlier effect under this key was undone, and its record holds the key. Delete that execution before this one is undone.",
  open: "Its undo is open: see there what is known of it, before anything else is tried.",
  "not-yet": "An undo was tried, and has not succeeded. The next one tries again.",
  hidden: "An undo of this key is on record; which effect it undid is not shown to this credential.",
};

function UndoState({ standing, undo }: { standing: ReturnType<typeof standingOfUndo>; undo: Execution }) {
  return (
    <p>
      <Status of={standingOf(undo)}>{standing === "undone" ? "undone" : `undo ${standingOf(undo)}`}</Status>{" "}
      <Ago at={undo.updated_at} />. {WORDS[standing]}{" "}
      <a class="mono" href={operationPath(undo.id)}>
        <Said text={undo.key_name} />
      </a>
    </p>
  );
}

interface DialogProps {
  seen: Seen;
  close: () => void;
  done: (what: string) => void;
}

function UndoneDialog({ seen, close, done }: DialogProps) {
  const [by, setBy] = useState(personName.value);
  const [note, setNote] = useState("");
  const attemptId = useRef(`console-${newId()}`);
  const said = { by, note };
  const isReady = by.trim() !== "" && note.trim() !== "";
  return (
    <ActionDialog
      title={`Record ${seen.execution.key_name} as undone`}
      verb="Record as undone"
      isReady={isReady}
      act={async () => done(await told(() => recordUndone(seen, said, attemptId.current)))}
      close={close}
    >
      <p class="notice">
        This runs nothing. It writes down that somebody has taken the effect back, so that no undo does it
        again.
      </p>
      <label class="field">
        What was done
        <input
          type="text"
          required
          value={note}
          placeholder="refunded in the bank's own console, re_5512"
          onInput={(event) => setNote(event.currentTarget.value)}
        />
      </label>
      <PersonField name={by} change={setBy} />
      {isReady && (
        <RecordPreview
          channelId={seen.execution.channel_id}
          by={by.trim()}
          planned={plannedUndo(seen, said)}
        />
      )}
    </ActionDialog>
  );
}
