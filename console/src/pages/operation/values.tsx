/** What went in, what came out, and what people and late workers have said of it. */

import type { Execution, Json, LateEvidence } from "../../api/types";
import { JsonBox } from "../../ui/json";
import { runPath } from "../../ui/links";
import { Said } from "../../ui/said";
import { Status } from "../../ui/status";
import { Ago } from "../../ui/time";
import { visible, visibleLines } from "../../ui/visible";
import type { Resolution } from "./types";

/** A value, or that it is there and not shown. */
export function Shown({ value, label, withheld }: { value: Json; label: string; withheld: boolean }) {
  if (withheld) return <p class="quiet">Not shown to this credential.</p>;
  return <JsonBox value={value} label={label} depth={3} />;
}

interface ParamsProps {
  execution: Execution;
  /** Undefined while nobody knows; null for all of them. */
  fields: string[] | null | undefined;
}

export function Params({ execution, fields }: ParamsProps) {
  const withheld = execution.redacted === true;
  return (
    <section class="panel" aria-labelledby="params-title">
      <h2 id="params-title">Params</h2>
      {Array.isArray(fields) && fields.length > 0 && (
        <>
          <dl class="fingerprint">
            {fields.map((name) => (
              <div key={name}>
                <dt>
                  <Said text={name} />
                </dt>
                <dd class="mono">{withheld ? "not shown" : brief(member(execution.params, name))}</dd>
              </div>
            ))}
          </dl>
          <p class="quiet">
            These make the fingerprint: a claim in which they differ is refused. The others may differ.
          </p>
        </>
      )}
      {fields === null && (
        <p class="quiet">All of them make the fingerprint: a claim with other params is refused.</p>
      )}
      <Shown value={execution.params} label="the params" withheld={withheld} />
    </section>
  );
}

function member(value: Json, name: string): Json | undefined {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? value[name] : undefined;
}

function brief(value: Json | undefined): string {
  const text = value === undefined ? "absent" : JSON.stringify(value);
  return visible(text.length > 120 ? `${text.slice(0, 120)}…` : text);
}

export function Outcome({ execution }: { execution: Execution }) {
  if (execution.status !== "completed" && execution.status !== "failed") return null;
  const isDone = execution.status === "completed";
  return (
    <section class="panel" aria-labelledby="outcome-title">
      <h2 id="outcome-title">{isDone ? "Result" : "Error"}</h2>
      <Shown
        value={isDone ? execution.result : execution.error}
        label={isDone ? "the result" : "the error"}
        withheld={execution.redacted === true}
      />
    </section>
  );
}

export function Evidence({ execution, evidence }: { execution: Execution; evidence: LateEvidence[] }) {
  if (evidence.length === 0) return null;
  return (
    <section class="panel late" aria-labelledby="evidence-title">
      <h2 id="evidence-title">Late evidence</h2>
      <p>
        Reported by a worker that no longer held the operation: refused, and kept. It may be the only witness
        of what happened.
      </p>
      {evidence.map((it) => (
        <div key={it.event_id}>
          <p>
            <Status of={it.says === "completed" ? "completed" : "failed"}>{`says it ${it.says}`}</Status>{" "}
            <Ago at={it.recorded_at} />,{" "}
            <a href={runPath(execution.channel_id, it.cursor)}>cursor {it.cursor}</a>
          </p>
          <Shown
            value={it.value}
            label={`the report at cursor ${it.cursor}`}
            withheld={execution.redacted === true}
          />
        </div>
      ))}
    </section>
  );
}

const SAYS: Record<string, string> = {
  applied: "it happened",
  not_applied: "it did not happen",
  unknown: "looked, and could not tell",
};

export function Resolutions({ channelId, resolutions }: { channelId: string; resolutions: Resolution[] }) {
  if (resolutions.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="resolutions-title">
      <h2 id="resolutions-title">What people have said</h2>
      {resolutions.map((it) => (
        <div key={it.cursor} class="resolution">
          <p>
            <strong>
              <Said text={it.by} />
            </strong>
            : {SAYS[it.outcome] ?? it.outcome}, <Ago at={it.at} /> (
            <a href={runPath(channelId, it.cursor)}>cursor {it.cursor}</a>)
          </p>
          {it.reason !== null && <p class="reason">{visibleLines(it.reason)}</p>}
          {(it.redacted || it.evidence !== null) && (
            <Shown
              value={it.evidence}
              label={`what was looked at, cursor ${it.cursor}`}
              withheld={it.redacted}
            />
          )}
        </div>
      ))}
    </section>
  );
}
