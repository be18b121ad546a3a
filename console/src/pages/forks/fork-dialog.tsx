/** Makes a fork: where it begins, what it is called, what its tools may do. */

import { useRef, useState } from "preact/hooks";
import { api } from "../../api/http";
import { OperationIds } from "../../api/operation-ids";
import { useResource } from "../../api/resource";
import { may, session } from "../../session";
import { ActionDialog } from "../../ui/dialog";
import { Trouble } from "../../ui/trouble";
import { visible } from "../../ui/visible";
import {
  type ForkForm,
  NOTHING_KNOWN,
  type Place,
  readPolicies,
  refusalOfId,
  suggestId,
  tellInheritance,
  toBody,
  toolsAfter,
} from "./plan";
import { PolicyRows } from "./policies";
import { findStep, knownOf, latestStep, stepsBy } from "./source";
import type { Receipt } from "./types";

type Way = "step" | "cursor" | "latest";

interface Props {
  channelId: string;
  /** The cursor to begin at, where it is known already. */
  at: number | null;
  /** Ids that are taken in this tree. */
  taken: string[];
  onMade: (receipt: Receipt) => void;
  close: () => void;
}

export function ForkDialog({ channelId, at, taken, onMade, close }: Props) {
  const latest = useResource((signal) => latestStep(channelId, signal), [channelId]);
  const steps = latest.data ?? 0;
  const [chosenWay, choose] = useState<Way | null>(at === null ? null : "cursor");
  const way = chosenWay ?? (steps > 0 ? "step" : "latest");
  const [chosenStep, setStep] = useState<number | null>(null);
  const step = chosenStep ?? steps;
  const [cursor, setCursor] = useState(at ?? 0);

  const place = useResource<Place | null>(
    (signal) => placeOf(channelId, way, step, cursor, signal),
    [channelId, way, step, cursor],
  );
  const sourceId = place.data?.sourceId ?? channelId;
  const known = useResource((signal) => knownOf(sourceId, signal), [sourceId]);

  const [said, setForm] = useState<Omit<ForkForm, "newId">>({
    displayName: "",
    reason: "",
    policies: [],
    copiesState: true,
  });
  const [typedId, typeId] = useState<string | null>(null);
  const set = (changed: Partial<typeof said>) => setForm((before) => ({ ...before, ...changed }));
  // An id is suggested until the person types one.
  const suggestion =
    place.data === null
      ? ""
      : suggestId(channelId, { ...place.data, step: way === "step" ? step : null }, taken);
  // Nor does one come late into a field that somebody is in: it would stand before what they type.
  const [heldId, holdId] = useState<string | null>(null);
  const form: ForkForm = { ...said, newId: typedId ?? heldId ?? suggestion };

  const ids = useRef(new OperationIds());
  const told =
    place.data === null ? null : tellInheritance(place.data, known.data ?? NOTHING_KNOWN, form.copiesState);
  const policies = readPolicies(form.policies);
  const newId = form.newId.trim();
  const complaint = newId === "" ? null : (refusalOfId(newId, channelId) ?? refusalOfWriting(newId));
  const tools = [...new Set((known.data?.executions ?? []).map((it) => it.tool_name))].sort();
  const again = place.data === null ? new Map() : toolsAfter(known.data?.executions ?? [], place.data.cursor);
  const uncovered = [...again.keys()].filter(
    (tool) => !form.policies.some((it) => it.tool === tool || it.tool === "*"),
  );

  async function make(): Promise<void> {
    if (place.data === null) return;
    const body = toBody(place.data, form);
    onMade(
      await api.post<Receipt>("/api/v1/channels/fork", { ...body, operation_id: ids.current.for(body) }),
    );
  }

  return (
    <ActionDialog
      title={`Fork ${channelId}`}
      verb="Fork"
      isReady={
        place.data !== null && !place.loading && newId !== "" && complaint === null && !("error" in policies)
      }
      act={make}
      close={close}
    >
      <fieldset class="place">
        <legend>Begins after</legend>
        {steps > 0 && (
          <label class="choice">
            <input type="radio" name="way" checked={way === "step"} onChange={() => choose("step")} />
            <span>
              step{" "}
              <input
                type="number"
                min={1}
                max={steps}
                required={way === "step"}
                aria-label="Step"
                value={step}
                onFocus={() => choose("step")}
                onInput={(event) => setStep(Number(event.currentTarget.value))}
              />
            </span>
            <small>
              1 to {steps}
              {way === "step" && place.data !== null && (
                <PlaceOfStep place={place.data} channelId={channelId} />
              )}
            </small>
          </label>
        )}
        <label class="choice">
          <input type="radio" name="way" checked={way === "cursor"} onChange={() => choose("cursor")} />
          <span>
            the event at cursor{" "}
            <input
              type="number"
              min={1}
              required={way === "cursor"}
              aria-label="Cursor"
              value={cursor || ""}
              onFocus={() => choose("cursor")}
              onInput={(event) => setCursor(Number(event.currentTarget.value))}
            />
          </span>
        </label>
        <label class="choice">
          <input type="radio" name="way" checked={way === "latest"} onChange={() => choose("latest")} />
          <span>everything so far, with the latest state</span>
        </label>
      </fieldset>

      {place.error !== null && <Trouble error={place.error} retry={place.reload} />}
      {place.data === null && !place.loading && place.error === null && (
        <p class="complaint" role="alert">
          {way === "step" ? `Step ${step} is not recorded.` : "Which event?"}
        </p>
      )}
      <div class="inheritance" aria-live="polite">
        {told !== null && (
          <>
            <h3>The fork inherits</h3>
            <ul>
              {told.inherited.map((it) => (
                <li key={it}>{visible(it)}</li>
              ))}
            </ul>
            {told.left !== null && <p>{visible(told.left)}</p>}
            {uncovered.length > 0 && (
              <button
                type="button"
                class="plain"
                onClick={() =>
                  set({
                    policies: [
                      ...form.policies,
                      ...uncovered.map((tool) => ({ tool, policy: "block" as const })),
                    ],
                  })
                }
              >
                Block {uncovered.length === 1 ? "it" : "them"} in the fork
              </button>
            )}
            {told.refusal !== null && <p class="complaint">{visible(told.refusal)}</p>}
          </>
        )}
      </div>

      <label class="choice">
        <input
          type="checkbox"
          checked={form.copiesState}
          onChange={(event) => set({ copiesState: event.currentTarget.checked })}
        />
        <span>Copy the state</span>
        <small>Without it: steps and effects alone.</small>
      </label>
      <div class="field">
        <label for="fork-id">Id of the new run</label>
        <input
          id="fork-id"
          type="text"
          required
          class="mono"
          value={form.newId}
          aria-invalid={complaint !== null}
          aria-describedby="fork-id-says"
          autocomplete="off"
          spellcheck={false}
          onFocus={() => holdId(form.newId)}
          onBlur={() => holdId(null)}
          onInput={(event) => typeId(event.currentTarget.value)}
        />
        <small id="fork-id-says" class={complaint !== null ? "complaint" : ""}>
          {complaint ?? "The same fork made again under the same id is the one that is there."}
        </small>
      </div>
      <div class="field">
        <label for="fork-name">What people call it</label>
        <input
          id="fork-name"
          type="text"
          value={form.displayName}
          placeholder="optional"
          onInput={(event) => set({ displayName: event.currentTarget.value })}
        />
      </div>
      <div class="field">
        <label for="fork-reason">Why</label>
        <input
          id="fork-reason"
          type="text"
          value={form.reason}
          placeholder="does a short prompt do?"
          onInput={(event) => set({ reason: event.currentTarget.value })}
        />
      </div>
      <PolicyRows
        rows={form.policies}
        setRows={(rows) => set({ policies: rows })}
        tools={tools}
        error={"error" in policies ? policies.error : null}
      />
    </ActionDialog>
  );
}

/** Whoever forks needs an id that may be written. Only a hint: the server decides. */
function refusalOfWriting(id: string): string | null {
  return session.value === null || may("write", id) ? null : "You may not write a run of this id.";
}

function PlaceOfStep({ place, channelId }: { place: Place; channelId: string }) {
  if (place.sourceId === channelId) return <>; it stands at cursor {place.cursor}</>;
  return (
    <>
      ; it was recorded by <code>{place.sourceId}</code> at its cursor {place.cursor}, so the new run is a
      fork of that one
    </>
  );
}

async function placeOf(
  channelId: string,
  way: Way,
  step: number,
  cursor: number,
  signal: AbortSignal,
): Promise<Place | null> {
  if (way === "step") {
    const found = step > 0 ? await findStep(channelId, step, signal) : null;
    return found && { sourceId: found.channel_id, cursor: found.cursor, step, isByStep: true };
  }
  if (way === "cursor") {
    if (cursor < 1) return null;
    return { sourceId: channelId, cursor, step: await stepsBy(channelId, cursor, signal), isByStep: false };
  }
  return { sourceId: channelId, cursor: 0, step: await latestStep(channelId, signal), isByStep: false };
}
