/** The receipt of a fork: what it started with, as it was written then. */

import { JsonBox } from "../../ui/json";
import { RunLink } from "../../ui/links";
import { Said } from "../../ui/said";
import { Ago } from "../../ui/time";
import type { Receipt } from "./types";

const GRADES: Record<Receipt["reproducibility"], string> = {
  state_exact: "its state is exactly the source's at that place",
  context_exact: "its state and its declared context are exactly the source's",
  execution_replayable: "what was done can be replayed; the state is an older one, or none",
  best_effort: "nothing is inherited that could be replayed",
};

export function ReceiptPanel({ receipt }: { receipt: Receipt }) {
  const policies = Object.entries(receipt.tool_policies ?? {});
  return (
    <section class="panel receipt" aria-labelledby="receipt-title">
      <h2 id="receipt-title">Receipt</h2>
      <dl class="facts rows">
        <div>
          <dt>forked from</dt>
          <dd>
            <RunLink id={receipt.source_channel_id} cursor={receipt.resolved_cursor} />{" "}
            {receipt.requested_cursor === 0 ? (
              <>at its latest state</>
            ) : (
              <>after cursor {receipt.requested_cursor}</>
            )}
            , <Ago at={receipt.forked_at} />
          </dd>
        </div>
        <div>
          <dt>state</dt>
          <dd>
            {receipt.restorable
              ? `version ${receipt.source_state_version} of the source, saved at cursor ${receipt.resolved_cursor}`
              : "none"}
          </dd>
        </div>
        {receipt.source_state_sha256 !== null && (
          <div>
            <dt>SHA-256</dt>
            <dd class="mono">{receipt.source_state_sha256}</dd>
          </div>
        )}
        <div>
          <dt>exactness</dt>
          <dd>
            <code>{receipt.reproducibility}</code>: {GRADES[receipt.reproducibility]}
          </dd>
        </div>
        <div>
          <dt>tools</dt>
          <dd>
            {policies.length === 0
              ? "auto"
              : policies.map(([tool, policy]) => (
                  <span class="policy-said" key={tool}>
                    <code>
                      <Said text={tool} />
                    </code>{" "}
                    {policy}
                  </span>
                ))}
          </dd>
        </div>
      </dl>
      {receipt.manifest !== null && (
        <>
          <h3>Manifest</h3>
          <JsonBox value={receipt.manifest} label="manifest of the fork" />
        </>
      )}
    </section>
  );
}
