/** One question, with exactly what would be done. */

import { JsonBox } from "../../ui/json";
import { RunLink } from "../../ui/links";
import { Said } from "../../ui/said";
import { Ago } from "../../ui/time";
import { visible } from "../../ui/visible";
import { bindingOf } from "./decisions";
import type { Approval } from "./types";

/** The question; what an agent wrote as its summary need not be a text. */
export function questionOf(approval: Approval): string {
  if (approval.redacted) return `Request ${approval.request_id}`;
  return typeof approval.summary === "string" ? approval.summary : JSON.stringify(approval.summary);
}

export function Asked({ approval }: { approval: Approval }) {
  const { operation, redacted } = approval;
  return (
    <>
      {operation !== null && (
        <dl class="facts">
          <div>
            <dt>tool</dt>
            <dd class="mono">
              <Said text={operation.tool_name} />
            </dd>
          </div>
          <div>
            <dt>key</dt>
            <dd class="mono">
              <Said text={operation.key_name} />
            </dd>
          </div>
        </dl>
      )}
      {redacted ? (
        <p class="quiet">The question, and what would be done, are not shown to this credential.</p>
      ) : (
        <>
          {operation !== null && (
            <JsonBox
              value={operation.params ?? null}
              label={`the params of ${operation.key_name}`}
              depth={5}
            />
          )}
          <p class={approval.approval_fields === null ? "binds quiet" : "binds notice warn"}>
            {visible(bindingOf(approval))}
          </p>
          <Details approval={approval} />
        </>
      )}
    </>
  );
}

function Details({ approval }: { approval: Approval }) {
  if (approval.details === null) return null;
  return (
    <>
      <h4>Details</h4>
      <JsonBox value={approval.details} label={`the details of ${approval.request_id}`} depth={3} />
    </>
  );
}

export function WhoAndWhen({ approval }: { approval: Approval }) {
  return (
    <p class="who-and-when">
      <Said text={approval.requester} /> asks, <Ago at={approval.requested_at} />, in{" "}
      <RunLink id={approval.channel_id} cursor={approval.requested_cursor} />
      {approval.expires_at !== null && (
        <>
          {" · "}
          <strong>
            {approval.status === "pending" ? "expires " : "time was up "}
            <Ago at={approval.expires_at} />
          </strong>
        </>
      )}
    </p>
  );
}
