import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/preact";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Session } from "../../api/types";
import { standing } from "../../session";
import { DecideDialog } from "./decide-dialog";
import type { Approval } from "./types";

const ASKED = {
  request_id: "refund-88",
  channel_id: "run",
  status: "pending",
  summary: "Refund to IBAN\u202e00?",
  details: null,
  operation: { key_name: "refund:88 ", tool_name: "refund", params: { cents: 4200 } },
  approval_fields: null,
  decided_by: null,
  decided_cursor: null,
} as unknown as Approval;

const fetched = vi.fn<(path: string, request: RequestInit) => Promise<Response>>();

beforeEach(() => {
  vi.resetAllMocks();
  vi.stubGlobal("fetch", fetched);
  standing.value = { kind: "signed-in", session: { name: "Ada" } as Session };
});

afterEach(cleanup);

it("begins at the reason, and tells a key by its spaces", () => {
  render(<DecideDialog approval={ASKED} decision="approved" close={() => {}} done={() => {}} />);
  expect(document.activeElement).toBe(screen.getByLabelText("Reason"));
  expect(screen.getByRole("heading", { level: 2, hidden: true }).textContent).toBe(
    "Approve: Refund to IBAN\\u202e00?",
  );
  expect(document.querySelector("dd .spaces")?.textContent).toBe(" ");
});

it("leaves nothing to send after a no", async () => {
  const rejected = { ...ASKED, status: "rejected", decided_by: "Bo", decided_cursor: 7 };
  fetched.mockResolvedValue(new Response(JSON.stringify({ approvals: [rejected], has_more: false })));
  const done = vi.fn();
  render(<DecideDialog approval={ASKED} decision="approved" close={() => {}} done={done} />);
  fireEvent.click(screen.getByRole("button", { name: "Approve", hidden: true }));
  await screen.findByText(/a no stays/);
  expect(screen.queryByRole("button", { name: "Approve", hidden: true })).toBeNull();
  await waitFor(() => expect(document.activeElement?.textContent).toBe("Close"));
  expect(done).not.toHaveBeenCalled();
  expect(fetched).toHaveBeenCalledOnce();
});
