import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/preact";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CreateDialog } from "./create-dialog";

let posted: unknown[];
let reply: [number, unknown];

beforeEach(() => {
  posted = [];
  reply = [200, { key: { key_id: "key_1", name: "agent" }, api_key: "sk-secret" }];
  vi.stubGlobal("fetch", async (url: string, init?: RequestInit) => {
    posted.push([init?.method, url, JSON.parse(String(init?.body))]);
    return new Response(JSON.stringify(reply[1]), { status: reply[0] });
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const submit = () => fireEvent.submit(screen.getByText("Create").closest("form") as HTMLFormElement);
const type = (label: string, value: string) =>
  fireEvent.input(screen.getByLabelText(label), { target: { value } });

describe("CreateDialog", () => {
  it("sends the role as permissions on the runs that were named", async () => {
    const onMade = vi.fn();
    render(<CreateDialog onMade={onMade} close={() => {}} />);
    type("Name", " night watch ");
    fireEvent.click(screen.getByLabelText(/^Observer/));
    type("For which runs", "team-a.* run-7");
    fireEvent.change(screen.getByLabelText("Expires"), { target: { value: "4" } });
    await waitFor(() => expect((screen.getByText("Create") as HTMLButtonElement).disabled).toBe(false));
    submit();
    await waitFor(() => expect(onMade).toHaveBeenCalledWith(reply[1]));
    expect(posted).toEqual([
      [
        "POST",
        "/api/v1/keys",
        {
          name: "night watch",
          permissions: { observe: ["team-a.*", "run-7"], read: [], write: [], delete: [], admin: [] },
          expires_in_seconds: null,
        },
      ],
    ]);
  });

  it("sends nothing while a pattern is none", async () => {
    render(<CreateDialog onMade={() => {}} close={() => {}} />);
    type("Name", "agent");
    type("For which runs", "a*b");
    await screen.findByText(/is no pattern/);
    submit();
    expect(posted).toEqual([]);
  });

  it("shows what the server refuses, with the path of it", async () => {
    reply = [400, { status: "invalid_request", error: "Not yours to grant.", field: "permissions.read[0]" }];
    const close = vi.fn();
    render(<CreateDialog onMade={() => {}} close={close} />);
    type("Name", "agent");
    await waitFor(() => expect((screen.getByText("Create") as HTMLButtonElement).disabled).toBe(false));
    submit();
    await screen.findByText("permissions.read[0]");
    expect(close).not.toHaveBeenCalled();
  });
});
