/** Who tried, when, for how long, and how each try ended. */

import type { Execution } from "../../api/types";
import { runPath } from "../../ui/links";
import { Said } from "../../ui/said";
import { type Standing, Status, standingOf } from "../../ui/status";
import { Ago, Clock, span, useNow } from "../../ui/time";
import { visible } from "../../ui/visible";
import type { Attempt } from "../run/operations";
import { tookMs, whoEnded } from "./took";
import type { Resolution } from "./types";

interface Props {
  attempts: Attempt[];
  execution: Execution;
  resolutions: Resolution[];
}

export function Attempts({ attempts, execution, resolutions }: Props) {
  const now = useNow();
  return (
    <table class="stacked attempts">
      <thead>
        <tr>
          <th scope="col" class="num">
            #
          </th>
          <th scope="col">Worker</th>
          <th scope="col">Began</th>
          <th scope="col" class="num">
            Took
          </th>
          <th scope="col">End</th>
        </tr>
      </thead>
      <tbody>
        {attempts.map((it) => (
          <tr key={`${it.number}-${it.startedCursor}`}>
            <td class="num" data-label="Attempt">
              {it.number}
            </td>
            <td data-label="Worker" class="worker" title={visible(it.owner)}>
              {it.startedAt === null ? <span class="quiet">not looked up</span> : <Said text={it.owner} />}
            </td>
            <td data-label="Began">
              {it.startedAt === null ? (
                <span class="quiet">earlier</span>
              ) : (
                <a href={runPath(execution.channel_id, it.startedCursor)}>
                  <Clock at={it.startedAt} />
                </a>
              )}
            </td>
            <td class="num" data-label="Took">
              <Took attempt={it} execution={execution} resolutions={resolutions} now={now} />
            </td>
            <td data-label="End">
              <End attempt={it} execution={execution} resolutions={resolutions} now={now} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Took({ attempt, execution, resolutions, now }: EndProps) {
  if (attempt.startedAt === null) return null;
  const ms = tookMs(attempt, execution, resolutions, now);
  if (ms !== null) return <>{span(ms)}</>;
  return (
    <span class="quiet" title="It fell silent: nobody knows when it stopped.">
      –
    </span>
  );
}

interface EndProps {
  attempt: Attempt;
  execution: Execution;
  resolutions: Resolution[];
  now: number;
}

function End({ attempt, execution, resolutions, now }: EndProps) {
  const person = whoEnded(attempt, resolutions);
  if (person !== undefined) {
    return (
      <Status of={attempt.ending === "completed" ? "completed" : "failed"}>
        {`${person.outcome.replace("_", " ")}, says ${person.by}`}
      </Status>
    );
  }
  switch (attempt.ending) {
    case "taken-over":
      return <Status of="lapsed">taken over</Status>;
    case "ambiguous":
      return <Status of="ambiguous">could not tell</Status>;
    case null:
      return <Open standing={standingOf(execution, now)} execution={execution} />;
    default:
      return <Status of={attempt.ending} />;
  }
}

function Open({ standing, execution }: { standing: Standing; execution: Execution }) {
  if (standing === "running") return <Status of="running">at it</Status>;
  if (execution.lease_until === null) return <Status of={standing} />;
  return (
    <>
      <Status of={standing}>fell silent</Status>{" "}
      <span class="quiet">
        lease ended <Ago at={execution.lease_until} />
      </span>
    </>
  );
}
