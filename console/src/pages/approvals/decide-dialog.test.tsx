import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/preact";
import { useState } from "preact/hooks";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Session } from "../../api/types";
import { standing } from "../../session";
import { News, useNews } from "../../ui/news";
import { DecideDialog } from "./decide-dialog";
import type { Approval, Decision } from "./types";

const ASKED = {
  request_id: "refund-82",
  channel_id: "run",
  status: "pending",
  summary: "Refund 82?",
  details: null,
  operation: null,
  approval_fields: null,
  requester: "agent",
  requested_at: "2026-01-01T12:00:00Z",
  requested_cursor: 3,
  requested_event_id: "event-3",
  expires_at: null,
  decided_by: null,
  decided_at: null,
  decided_cursor: null,
  reason: null,
} satisfies Approval;
const APPROVED = {
  ...ASKED,
  status: "approved",
  decided_by: "Bo",
  decided_at: "2026-01-01T12:01:00Z",
  decided_cursor: 4,
} satisfies Approval;
const REJECTED = { ...APPROVED, status: "rejected", decided_by: "Ada", decided_cursor: 5 } satisfies Approval;

const fetched = vi.fn<(path: string, request: RequestInit) => Promise<Response>>();

beforeEach(() => {
  vi.stubGlobal("fetch", fetched);
  standing.value = { kind: "signed-in", session: { name: "Ada" } as Session };
});

afterEach(() => {
  cleanup();
  vi.resetAllMocks();
});

const answer = (body: unknown) => fetched.mockResolvedValueOnce(new Response(JSON.stringify(body)));
const stands = (approval: Approval) => answer({ approvals: [approval], has_more: false });
const press = (name: string) => fireEvent.click(screen.getByRole("button", { name, hidden: true }));
const written = () => fetched.mock.calls.filter(([, request]) => request.method === "POST");

function Page({ decision }: { decision: Decision }) {
  const [news, tell] = useNews();
  const [isOpen, open] = useState(false);
  return (
    <>
      <News news={news} />
      <button type="button" onClick={() => open(true)}>
        Begin
      </button>
      {isOpen && <DecideDialog approval={ASKED} decision={decision} close={() => open(false)} done={tell} />}
    </>
  );
}

function begin(decision: Decision): void {
  render(<Page decision={decision} />);
  screen.getByRole("button", { name: "Begin" }).focus();
  press("Begin");
}

it("asks again before a no takes back a yes that came meanwhile", async () => {
  begin("rejected");
  stands(APPROVED);
  press("Reject");
  await screen.findByText(/Bo approved it while you looked/);
  expect(document.querySelector(".notice.warn")?.textContent).toContain("takes back the yes of Bo, given");
  expect(written()).toHaveLength(0);

  stands(APPROVED);
  answer({ event: { cursor: 5 } });
  stands(REJECTED);
  press("Take it back");
  await screen.findByText(/Rejected by Ada/);
  expect(written()).toHaveLength(1);
});

it("records no yes beside one that came meanwhile", async () => {
  begin("approved");
  stands(APPROVED);
  press("Approve");
  await screen.findByText(/Bo had approved it before you/);
  expect(written()).toHaveLength(0);
});

it("leaves the focus on the confirmation", async () => {
  begin("rejected");
  stands(ASKED);
  answer({ event: { cursor: 5 } });
  stands(REJECTED);
  press("Reject");
  const told = await screen.findByText(/Rejected by Ada/);
  await waitFor(() => expect(document.activeElement).toBe(told.closest("p")));
});
