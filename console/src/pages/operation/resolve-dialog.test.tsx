import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/preact";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Session } from "../../api/types";
import { standing } from "../../session";
import { ResolveDialog } from "./resolve-dialog";
import type { Seen } from "./types";

const EXECUTION = {
  id: "order-4471~7336",
  channel_id: "order-4471",
  key_name: "charge:order-4471",
  tool_name: "charge",
  status: "ambiguous",
  attempts: 2,
};
const REPORTED = '{"id":"ch_9f2","number":12345678901234567890}';
const AT = "2026-01-01T12:00:00Z";
const TEXT = `{"execution":${JSON.stringify(EXECUTION)},"late_evidence":[{"says":"completed","cursor":9,"event_id":"e","recorded_at":"${AT}","value":${REPORTED}}]}`;
const SEEN = { execution: EXECUTION, evidence: JSON.parse(TEXT).late_evidence, text: TEXT } as Seen;

const close = vi.fn();
const done = vi.fn();
const fetched = vi.fn<(path: string, request: RequestInit) => Promise<Response>>();

beforeEach(() => {
  vi.resetAllMocks();
  vi.stubGlobal("fetch", fetched);
  standing.value = { kind: "signed-in", session: { name: "Ada" } as Session };
  render(<ResolveDialog seen={SEEN} close={close} done={done} />);
});

afterEach(cleanup);

const button = (name: string | RegExp) =>
  screen.getByRole<HTMLButtonElement>("button", { name, hidden: true });
const choose = (name: RegExp) => fireEvent.click(screen.getByRole("radio", { name, hidden: true }));
const bodies = () => fetched.mock.calls.map(([, request]) => String(request.body));

function answer(status: number, body: unknown): void {
  fetched.mockResolvedValueOnce(new Response(JSON.stringify(body), { status }));
}

describe("ResolveDialog", () => {
  it("asks what happened before anything can be sent", async () => {
    expect(button("Resolve").disabled).toBe(true);
    choose(/^It happened/);
    expect(button("Resolve").disabled).toBe(true);
    fireEvent.input(screen.getByLabelText("Result"), { target: { value: '{"id": ' } });
    await screen.findByText(/This is no JSON yet/);
    expect(button("Resolve").disabled).toBe(true);
  });

  it.each([
    [`{"a":1,"a":2}`, /The name "a" is there twice/],
    [`{"x":1e999}`, /1e999 is larger/],
  ])("refuses a result that would not be kept: %s", async (text, words) => {
    choose(/^It happened/);
    fireEvent.input(screen.getByLabelText("Result"), { target: { value: text } });
    await screen.findByText(words);
    expect(button("Resolve").disabled).toBe(true);
  });

  it("records what a worker reported, digit by digit, after showing it", async () => {
    answer(200, { status: "completed", execution: { ...EXECUTION, status: "completed" } });
    choose(/^It happened/);
    fireEvent.click(button(/^Use what a worker reported/));
    fireEvent.input(screen.getByLabelText("Reason"), { target: { value: "in the bank's list" } });
    await screen.findByText("tool.completed");
    expect(document.querySelector(".record-preview")?.textContent).toContain(
      '"number": 12345678901234567890',
    );
    fireEvent.click(button("Resolve"));
    await waitFor(() => expect(done).toHaveBeenCalledOnce());
    expect(done.mock.calls[0]?.[0]).toContain("Recorded by Ada: it happened");
    expect(close).toHaveBeenCalledOnce();
    expect(fetched.mock.calls[0]?.[0]).toBe("/api/v1/executions/order-4471~7336/resolve");
    const [body] = bodies();
    expect(body).toContain(`"result":${REPORTED}`);
    expect(JSON.parse(body ?? "")).toMatchObject({
      outcome: "applied",
      by: "Ada",
      reason: "in the bank's list",
      attempts: 2,
      operation_id: expect.stringMatching(/^console-[0-9a-f]{32}$/),
    });
  });

  it("tells in words that another attempt has begun, and leaves nothing to send", async () => {
    answer(409, {
      status: "execution_moved_on",
      error: "Operation is at attempt 3; attempt 2 was looked at.",
    });
    choose(/^It did not happen/);
    fireEvent.click(button("Resolve"));
    await screen.findByText(/Another attempt has begun since you looked/);
    expect(screen.queryByRole("button", { name: "Resolve", hidden: true })).toBeNull();
    await waitFor(() => expect(document.activeElement).toBe(button("Close")));
    fireEvent.submit(button("Close").closest("form") as HTMLFormElement);
    fireEvent.click(button("Close"));
    expect(close).toHaveBeenCalledOnce();
    expect(done).not.toHaveBeenCalled();
    expect(fetched).toHaveBeenCalledOnce();
  });

  it("sends the same again under the same id", async () => {
    answer(503, { status: "unavailable", error: "Try again." });
    answer(200, { status: "failed", execution: { ...EXECUTION, status: "failed" } });
    choose(/^It did not happen/);
    fireEvent.click(button("Resolve"));
    await screen.findByText("Try again.");
    expect(done).not.toHaveBeenCalled();
    expect(close).not.toHaveBeenCalled();
    fireEvent.click(button("Resolve"));
    await waitFor(() => expect(done).toHaveBeenCalledOnce());
    const [first, second] = bodies();
    expect(second).toBe(first);
    expect(first).not.toContain("result");
  });

  it("names another write when something else is said", async () => {
    answer(503, { status: "unavailable", error: "Try again." });
    answer(200, { status: "ambiguous", execution: EXECUTION });
    choose(/^It did not happen/);
    fireEvent.click(button("Resolve"));
    await screen.findByText("Try again.");
    choose(/^I looked, and cannot tell/);
    fireEvent.click(button("Record that I looked"));
    await waitFor(() => expect(done).toHaveBeenCalledOnce());
    const ids = bodies().map((body) => JSON.parse(body).operation_id);
    expect(new Set(ids).size).toBe(2);
    expect(done.mock.calls[0]?.[0]).toContain("as before");
  });
});
