/** What becomes of a run: promotion, which changes its parent, and an outcome, which is a remark. */

import { useRef, useState } from "preact/hooks";
import { api, segment } from "../../api/http";
import { OperationIds } from "../../api/operation-ids";
import type { Run } from "../../api/types";
import { ActionDialog } from "../../ui/dialog";
import { count } from "../../ui/time";
import type { Metadata, Outcome, Promoted } from "./types";

interface PromoteProps {
  channelId: string;
  parentId: string;
  run: Run | null;
  onPromoted: (made: Promoted) => void;
  close: () => void;
}

export function PromoteDialog({ channelId, parentId, run, onPromoted, close }: PromoteProps) {
  const ids = useRef(new OperationIds());
  const own = run?.effects.completed ?? 0;
  async function promote(): Promise<void> {
    const body = { operation_id: ids.current.for([channelId, "promote"]) };
    onPromoted(await api.post<Promoted>(`/api/v1/channels/${segment(channelId)}/promote`, body));
  }
  return (
    <ActionDialog title={`Promote ${channelId}`} verb="Promote" act={promote} close={close}>
      <p>
        What this does to the parent, <code>{parentId}</code>:
      </p>
      <ul class="consequences">
        <li>
          One event is appended, <code>fork.promoted</code>.
        </li>
        {run !== null && run.version === 0 ? (
          <li>Its state stays as it is: the fork has saved none.</li>
        ) : (
          <li>The fork's newest state becomes the parent's newest, with the step it belongs to.</li>
        )}
        <li>Nothing that the parent recorded is changed or taken back.</li>
        <li>
          {own === 0
            ? "The fork has completed no effect of its own."
            : `The effects that the fork completed (${count(own)}${run?.effects.more ? "+" : ""}) stay the fork's. If the parent asks for one of their keys again, it runs again.`}
        </li>
      </ul>
      <p class="quiet">The fork's outcome becomes “promoted”. Promoting twice is promoting once.</p>
    </ActionDialog>
  );
}

const OUTCOMES: [Outcome | null, string, string][] = [
  ["rejected", "Rejected", "It did not convince."],
  ["inconclusive", "Inconclusive", "It cannot be told."],
  ["crashed", "Crashed", "It ended in an error. Does not replace “promoted”."],
  ["promoted", "Promoted", "Says so, and brings nothing to the parent. “Promote” does that."],
];

interface OutcomeProps {
  metadata: Metadata;
  onRecorded: () => void;
  close: () => void;
}

export function OutcomeDialog({ metadata, onRecorded, close }: OutcomeProps) {
  const { channel_id: channelId, outcome: present } = metadata;
  const [outcome, setOutcome] = useState<Outcome | null | undefined>(undefined);
  const [score, setScore] = useState("");
  const ids = useRef(new OperationIds());
  const choices = present === "crashed" ? [...OUTCOMES, TAKE_BACK] : OUTCOMES;
  async function record(): Promise<void> {
    const said = { outcome: outcome ?? null, score: score.trim() === "" ? null : Number(score) };
    await api.patch(`/api/v1/channels/${segment(channelId)}/outcome`, {
      ...said,
      operation_id: ids.current.for(said),
    });
    onRecorded();
  }
  return (
    <ActionDialog
      title={`Outcome of ${channelId}`}
      verb="Record"
      isReady={outcome !== undefined && (score.trim() === "" || Number.isFinite(Number(score)))}
      act={record}
      close={close}
    >
      <p class="dialog-words">
        A remark beside the run: it can be changed, it undoes nothing
        {metadata.parent_channel_id !== null && (
          <>
            , and <code>{metadata.parent_channel_id}</code>, the parent, stays as it is
          </>
        )}
        . {present !== null && <>Now it is “{present}”.</>}
      </p>
      <fieldset>
        <legend class="visually-hidden">Outcome</legend>
        {choices.map(([value, name, words]) => (
          <label class="choice" key={name}>
            <input
              type="radio"
              name="outcome"
              checked={outcome === value}
              onChange={() => setOutcome(value)}
            />
            <span>{name}</span>
            <small>{words}</small>
          </label>
        ))}
      </fieldset>
      <div class="field">
        <label for="score">Score</label>
        <input
          id="score"
          type="text"
          inputMode="decimal"
          value={score}
          placeholder={metadata.result_score === null ? "optional, a number" : String(metadata.result_score)}
          onInput={(event) => setScore(event.currentTarget.value)}
        />
        <small>Left empty, the score stays as it is.</small>
      </div>
    </ActionDialog>
  );
}

const TAKE_BACK: [null, string, string] = [null, "It got through after all", "Takes “crashed” back."];
