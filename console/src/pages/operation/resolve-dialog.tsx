/** Says what became of an operation: asks once, and shows beforehand what the log will hold. */

import { useState } from "preact/hooks";
import { api, JsonText, segment } from "../../api/http";
import { useOperationId } from "../../api/ids";
import { personName } from "../../session";
import { ActionDialog } from "../../ui/dialog";
import { JsonField } from "../../ui/json-field";
import { PersonField } from "../../ui/person-field";
import { RecordPreview } from "../../ui/record-preview";
import { Said } from "../../ui/said";
import { Ago } from "../../ui/time";
import { told } from "./refusals";
import { bodyOf, isComplete, type Outcome, plannedBy, withOperationId, witnessesOf } from "./resolution";
import type { Seen, SettledReply } from "./types";

const OUTCOMES: [Outcome, string, string][] = [
  [
    "applied",
    "It happened",
    "It is completed with the result below. Every claim gets that, and the tool is not called again.",
  ],
  [
    "not_applied",
    "It did not happen, and will not any more",
    "The next claim of the key calls the tool. Choose this only when no request can still be on its way.",
  ],
  [
    "unknown",
    "I looked, and cannot tell",
    "Only a note: the operation stays as it is, and the next person sees what you looked at.",
  ],
];

interface Props {
  /** The operation as it was looked at: a newer attempt refuses. */
  seen: Seen;
  close: () => void;
  /** Called with what has happened, in a sentence. */
  done: (what: string) => void;
}

export function ResolveDialog({ seen, close, done }: Props) {
  const { execution } = seen;
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [result, setResult] = useState("");
  const [reason, setReason] = useState("");
  const [evidence, setEvidence] = useState("");
  const [by, setBy] = useState(personName.value);
  const operationId = useOperationId();
  const witnesses = witnessesOf(seen);
  const said = { outcome, by, result, reason, evidence };

  async function act(): Promise<void> {
    if (!isComplete(said)) return;
    const body = bodyOf(said, execution.attempts);
    const request = new JsonText(withOperationId(body, operationId(body)));
    const reply = await told(() =>
      api.post<SettledReply>(`/api/v1/executions/${segment(execution.id)}/resolve`, request),
    );
    done(sentenceOf(said.outcome, by.trim(), reply));
  }

  return (
    <ActionDialog
      title={`What became of ${execution.key_name}?`}
      verb={outcome === "unknown" ? "Record that I looked" : "Resolve"}
      isReady={isComplete(said)}
      act={act}
      close={close}
    >
      <fieldset>
        <legend>
          Attempt {execution.attempts} of{" "}
          <span class="mono">
            <Said text={execution.tool_name} />
          </span>
        </legend>
        {OUTCOMES.map(([value, name, meaning]) => (
          <label key={value} class="choice">
            <input
              type="radio"
              name="outcome"
              value={value}
              checked={outcome === value}
              onChange={() => setOutcome(value)}
            />
            {name}
            <small>{meaning}</small>
          </label>
        ))}
      </fieldset>
      {outcome === "applied" && (
        <>
          {witnesses.map((it) => (
            <p key={it.cursor} class="offer">
              <button type="button" onClick={() => setResult(it.result)}>
                Use what a worker reported <Ago at={it.at} />
              </button>
            </p>
          ))}
          <JsonField
            label="Result"
            hint="JSON, as the tool would have returned it; null if it returns nothing."
            text={result}
            change={setResult}
          />
        </>
      )}
      <label class="field">
        Reason
        <input
          type="text"
          value={reason}
          placeholder="in the bank's list of 14:05"
          onInput={(event) => setReason(event.currentTarget.value)}
        />
      </label>
      <label class="field">
        Evidence
        <textarea
          class="brief-area"
          value={evidence}
          spellcheck={false}
          onInput={(event) => setEvidence(event.currentTarget.value)}
        />
        <small>What you looked at: JSON, or any text.</small>
      </label>
      <PersonField name={by} change={setBy} />
      {isComplete(said) && (
        <RecordPreview channelId={execution.channel_id} by={by.trim()} planned={plannedBy(said, execution)} />
      )}
    </ActionDialog>
  );
}

function sentenceOf(outcome: Outcome, by: string, { execution }: SettledReply): string {
  if (outcome === "unknown") {
    return `Recorded: ${by} looked, and cannot tell. The operation is ${execution.status}, as before.`;
  }
  return outcome === "applied"
    ? `Recorded by ${by}: it happened. Every claim of ${execution.key_name} gets this result from now on.`
    : `Recorded by ${by}: it did not happen. The next claim of ${execution.key_name} gets it.`;
}
