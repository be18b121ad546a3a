/** Gives an attempt up. Only who holds it can: the server asks for the token of its claim. */

import { useState } from "preact/hooks";
import { api, segment } from "../../api/http";
import { useOperationId } from "../../api/ids";
import type { Execution } from "../../api/types";
import { personName } from "../../session";
import { ActionDialog } from "../../ui/dialog";
import { PersonField } from "../../ui/person-field";
import { RecordPreview } from "../../ui/record-preview";
import { Said } from "../../ui/said";
import { CANCELLED } from "./history";
import { told } from "./refusals";
import type { SettledReply } from "./types";

interface Props {
  execution: Execution;
  close: () => void;
  done: (what: string) => void;
}

export function CancelDialog({ execution, close, done }: Props) {
  const [token, setToken] = useState("");
  const [reason, setReason] = useState("");
  const [by, setBy] = useState(personName.value);
  const operationId = useOperationId();
  const payload = {
    execution_id: execution.id,
    key_name: execution.key_name,
    tool_name: execution.tool_name,
    attempt: execution.attempts,
    by: by.trim(),
    ...(reason.trim() !== "" && { reason: reason.trim() }),
  };
  async function act(): Promise<void> {
    await told(() =>
      api.post<SettledReply>(`/api/v1/executions/${segment(execution.id)}/cancel`, {
        claim_token: token.trim(),
      }),
    );
    // The server frees the key without an event, so the log would not know who did it.
    await told(() =>
      api.post("/api/v1/events/record", {
        channel_id: execution.channel_id,
        event_type: CANCELLED,
        payload,
        metadata: { actor: by.trim() },
        operation_id: operationId(JSON.stringify(payload)),
      }),
    );
    done(`Cancelled by ${by.trim()}. The next claim of ${execution.key_name} gets it.`);
  }
  const isReady = token.trim() !== "" && by.trim() !== "";
  return (
    <ActionDialog
      title={`Cancel attempt ${execution.attempts} of ${execution.key_name}`}
      verb="Free the key"
      isDangerous
      isReady={isReady}
      act={act}
      close={close}
    >
      <p class="notice warn">
        This frees the key at once, and does not stop a worker that is still at it: the next claim calls{" "}
        <span class="mono">
          <Said text={execution.tool_name} />
        </span>{" "}
        again. Only the attempt's own claim token is taken for it, which its worker has. Without the token,
        wait for the end of the lease, and resolve.
      </p>
      <label class="field">
        Claim token
        <input
          type="text"
          class="mono"
          required
          value={token}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
        <small>As the worker has it; it is not kept.</small>
      </label>
      <label class="field">
        Reason
        <input type="text" value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
      </label>
      <PersonField name={by} change={setBy} />
      {isReady && (
        <RecordPreview
          channelId={execution.channel_id}
          by={by.trim()}
          planned={[{ type: CANCELLED, body: JSON.stringify(payload) }]}
        />
      )}
    </ActionDialog>
  );
}
