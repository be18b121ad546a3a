/** What waits for a person, with exactly what would be done; and what was decided before. */

import { useState } from "preact/hooks";
import { api } from "../../api/http";
import { type Pages, usePages } from "../../api/pages";
import { countOpenQuestions } from "../../open-questions";
import { may } from "../../session";
import { RunLink } from "../../ui/links";
import { ListEnd } from "../../ui/more";
import { News, useNews } from "../../ui/news";
import { useRowKeys } from "../../ui/row-keys";
import { Said } from "../../ui/said";
import { type Standing, Status } from "../../ui/status";
import { Ago } from "../../ui/time";
import { useTitle } from "../../ui/title";
import { Asked, questionOf, WhoAndWhen } from "./card";
import { DecideDialog } from "./decide-dialog";
import type { Approval, ApprovalStatus, ApprovalsReply, Decision } from "./types";
import "./approvals.css";

const REFRESH_MS = 5_000;

interface Asking {
  approval: Approval;
  decision: Decision;
}

export function Approvals() {
  useTitle("Approvals");
  useRowKeys();
  const [asking, ask] = useState<Asking | null>(null);
  const [news, tell] = useNews();
  const waiting = useApprovals("pending");
  const all = useApprovals(undefined);
  const decided = { ...all, items: all.items.filter((it) => it.status !== "pending") };

  function done(what: string): void {
    tell(what);
    waiting.reload();
    all.reload();
    void countOpenQuestions();
  }

  return (
    <>
      <div class="page-head">
        <h1>Approvals</h1>
      </div>
      <News news={news} />
      <section aria-labelledby="waiting-title" class="waiting-approvals">
        <h2 id="waiting-title">Waits for somebody</h2>
        {waiting.items.map((it) => (
          <Card
            key={it.requested_event_id}
            approval={it}
            ask={(decision) => ask({ approval: it, decision })}
          />
        ))}
        <ListEnd pages={waiting} none="Nothing waits for an answer." />
      </section>
      <section aria-labelledby="decided-title">
        <h2 id="decided-title">Decided</h2>
        <DecidedTable approvals={decided.items} ask={ask} />
        <ListEnd pages={decided} none="Nothing was decided yet." />
      </section>
      {asking !== null && <DecideDialog {...asking} close={() => ask(null)} done={done} />}
    </>
  );
}

function useApprovals(status: ApprovalStatus | undefined): Pages<Approval> {
  return usePages<Approval>({
    load: async (before, signal) => {
      const reply = await api.getWritten<ApprovalsReply>(
        "/api/v1/approvals",
        { status, limit: 50, before },
        signal,
      );
      const last = reply.approvals.at(-1);
      return {
        items: reply.approvals,
        next: reply.has_more && last !== undefined ? last.requested_event_id : null,
      };
    },
    id: (it) => it.requested_event_id,
    inputs: [status],
    refreshMs: REFRESH_MS,
  });
}

function Card({ approval, ask }: { approval: Approval; ask: (decision: Decision) => void }) {
  const titleId = `asked-${approval.requested_event_id}`;
  return (
    <article class="panel approval" aria-labelledby={titleId}>
      <h3 id={titleId}>
        <Said text={questionOf(approval)} />
      </h3>
      <WhoAndWhen approval={approval} />
      <Asked approval={approval} />
      {may("write", approval.channel_id) ? (
        <div class="buttons">
          <button type="button" class="danger" onClick={() => ask("rejected")}>
            Reject…
          </button>
          <button type="button" class="primary" data-row onClick={() => ask("approved")}>
            Approve…
          </button>
        </div>
      ) : (
        <p class="quiet">This credential may not answer: that takes permission to write to the run.</p>
      )}
    </article>
  );
}

const SHAPES: Record<ApprovalStatus, Standing> = {
  pending: "running",
  approved: "completed",
  rejected: "failed",
  expired: "expired",
  superseded: "replayed",
};

interface TableProps {
  approvals: Approval[];
  ask: (asking: Asking) => void;
}

function DecidedTable({ approvals, ask }: TableProps) {
  if (approvals.length === 0) return null;
  return (
    <table class="stacked decided">
      <thead>
        <tr>
          <th scope="col">Answer</th>
          <th scope="col">Question</th>
          <th scope="col">Key</th>
          <th scope="col">Run</th>
          <th scope="col">By</th>
          <th scope="col">When</th>
          <th scope="col">
            <span class="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {approvals.map((it) => (
          <tr key={it.requested_event_id}>
            <td>
              <Status of={SHAPES[it.status]}>{it.status}</Status>
            </td>
            <td class="question">
              <Said text={questionOf(it)} />
              {typeof it.reason === "string" && (
                <div class="quiet">
                  “<Said text={it.reason} />”
                </div>
              )}
            </td>
            <td class="mono" data-label={it.operation === null ? undefined : "Key"}>
              {it.operation !== null && <Said text={it.operation.key_name} />}
            </td>
            <td data-label="Run">
              <RunLink id={it.channel_id} cursor={it.decided_cursor ?? it.requested_cursor} />
            </td>
            <td data-label={it.decided_by === null ? undefined : "By"}>
              {it.decided_by !== null && <Said text={it.decided_by} />}
            </td>
            <td data-label="When">
              <Ago at={it.decided_at ?? it.expires_at ?? it.requested_at} />
            </td>
            <td>
              {it.status === "approved" && may("write", it.channel_id) && (
                <button
                  type="button"
                  class="plain"
                  onClick={() => ask({ approval: it, decision: "rejected" })}
                >
                  Take back…
                </button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
