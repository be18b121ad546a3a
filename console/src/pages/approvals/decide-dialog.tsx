import { useState } from "preact/hooks";
import { useOperationId } from "../../api/ids";
import { personName } from "../../session";
import { ActionDialog } from "../../ui/dialog";
import { PersonField } from "../../ui/person-field";
import { RecordPreview } from "../../ui/record-preview";
import { Said } from "../../ui/said";
import { Ago } from "../../ui/time";
import { told } from "../operation/refusals";
import { Asked, questionOf } from "./card";
import { ChangedMeanwhile, decide, payloadOf } from "./decisions";
import type { Approval, Decision } from "./types";

interface Props {
  approval: Approval;
  decision: Decision;
  close: () => void;
  done: (what: string) => void;
}

/** Asks once, with what would be done before the eyes of whoever answers. */
export function DecideDialog({ approval: asked, decision, close, done }: Props) {
  const [approval, look] = useState(asked);
  const [reason, setReason] = useState("");
  const [by, setBy] = useState(personName.value);
  const operationId = useOperationId();
  const answer = { decision, by, reason };
  const isWithdrawal = approval.status === "approved";
  const verb = decision === "approved" ? "Approve" : isWithdrawal ? "Take it back" : "Reject";
  const payload = payloadOf(approval, answer);
  async function act(): Promise<void> {
    const id = operationId(JSON.stringify([payload, by.trim()]));
    try {
      done(await told(() => decide(approval, answer, id)));
    } catch (refusal) {
      if (refusal instanceof ChangedMeanwhile) look(refusal.approval);
      throw refusal;
    }
  }
  return (
    <ActionDialog
      title={`${verb}: ${questionOf(approval)}`}
      verb={verb}
      isDangerous={decision === "rejected"}
      isReady={by.trim() !== ""}
      act={act}
      close={close}
    >
      {isWithdrawal && (
        <p class="notice warn">
          This takes back the yes of <Said text={approval.decided_by ?? "somebody"} />
          {approval.decided_at !== null && (
            <>
              , given <Ago at={approval.decided_at} />
            </>
          )}
          . Whoever runs it already is not stopped, and what is completed stays; but nobody runs it again.
        </p>
      )}
      <Asked approval={approval} />
      <label class="field">
        Reason
        <input type="text" value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
      </label>
      <PersonField name={by} change={setBy} />
      <RecordPreview
        channelId={approval.channel_id}
        by={by.trim() || "…"}
        planned={[{ type: "approval.decided", body: JSON.stringify(payload) }]}
      />
    </ActionDialog>
  );
}
