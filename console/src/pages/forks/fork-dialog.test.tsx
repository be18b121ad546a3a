import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/preact";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ForkDialog } from "./fork-dialog";

const STEPS: Record<string, { channel_id: string; cursor: number }> = {
  "1": { channel_id: "root", cursor: 2 },
  "2": { channel_id: "run-7", cursor: 5 },
  "3": { channel_id: "run-7", cursor: 9 },
};

let posted: Record<string, unknown>[];
let refusals: number;

/** The few routes that the dialog reads, as the server answers them. */
function answer(url: string, init?: RequestInit): [number, unknown] {
  const path = new URL(url, "http://here").pathname;
  const step = /\/channels\/run-7\/steps\/(\d+)$/.exec(path)?.[1];
  if (path === "/api/v1/channels/fork") {
    posted.push(JSON.parse(String(init?.body)));
    if (refusals-- > 0) return [409, { status: "channel_conflict", error: "The name is taken." }];
    return [200, { channel_id: posted.at(-1)?.new_channel_id }];
  }
  if (path.endsWith("/run-7/steps")) return [200, { last_step_number: 3 }];
  if (step !== undefined) {
    const found = STEPS[step];
    return found ? [200, { ...found, step_number: Number(step) }] : [404, { status: "step_not_found" }];
  }
  if (path.endsWith("/metadata")) return [200, { parent_channel_id: path.includes("run-7") ? "root" : null }];
  if (path.includes("/versions")) return [200, { versions: [{ version: 4, cursor: 5, timestamp: "" }] }];
  if (path.endsWith("/executions"))
    return [
      200,
      {
        executions: [{ id: "x", tool_name: "send_mail", status: "completed", completed_cursor: 8 }],
        has_more: false,
      },
    ];
  return [500, { status: "unexpected", error: path }];
}

beforeEach(() => {
  posted = [];
  refusals = 0;
  vi.stubGlobal("fetch", async (url: string, init?: RequestInit) => {
    const [status, body] = answer(url, init);
    return new Response(JSON.stringify(body), { status });
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function show(at: number | null = null) {
  const onMade = vi.fn();
  const close = vi.fn();
  render(<ForkDialog channelId="run-7" at={at} taken={["run-7"]} onMade={onMade} close={close} />);
  return { onMade, close };
}
const submit = () => fireEvent.submit(screen.getByText("Fork").closest("form") as HTMLFormElement);

describe("ForkDialog", () => {
  it("forks after the last step, unless another one is chosen", async () => {
    const { onMade, close } = show();
    await screen.findByText("Steps 1–3 with their real outputs.");
    fireEvent.input(screen.getByLabelText("Step"), { target: { value: "2" } });
    await screen.findByText("Steps 1–2 with their real outputs.");
    await screen.findByText(/would run them again: send_mail/);
    await waitFor(() =>
      expect((screen.getByLabelText("Id of the new run") as HTMLInputElement).value).toBe("run-7.step-2"),
    );
    fireEvent.click(screen.getByText("Block it in the fork"));
    submit();
    await waitFor(() => expect(close).toHaveBeenCalled());
    expect(onMade).toHaveBeenCalledWith({ channel_id: "run-7.step-2" });
    expect(posted).toEqual([
      {
        source_channel_id: "run-7",
        new_channel_id: "run-7.step-2",
        at_cursor: 5,
        copy_state: true,
        experiment_metadata: { forked_at_step: 2 },
        tool_policies: { send_mail: "block" },
        operation_id: expect.stringMatching(/^console-[0-9a-f]{32}$/),
      },
    ]);
  });

  it("begins at the cursor of the link", async () => {
    show(8);
    await screen.findByText("Steps 1–2 with their real outputs.");
    await screen.findByText("The state as version 4 saved it, at cursor 5.");
    await screen.findByText("Nothing after.");
  });

  it("forks the ancestor that recorded the step", async () => {
    show();
    await screen.findByText("Steps 1–3 with their real outputs.");
    fireEvent.input(screen.getByLabelText("Step"), { target: { value: "1" } });
    await screen.findByText("root", { selector: "code" });
    submit();
    await waitFor(() => expect(posted).toHaveLength(1));
    expect(posted[0]).toMatchObject({ source_channel_id: "root", at_cursor: 2 });
  });

  it("stays with the refusal, and repeats the same write under the same id", async () => {
    refusals = 1;
    const { onMade, close } = show();
    await screen.findByText("Steps 1–3 with their real outputs.");
    submit();
    await screen.findByText(/The name is taken/);
    expect(close).not.toHaveBeenCalled();
    submit();
    await waitFor(() => expect(onMade).toHaveBeenCalled());
    expect(posted[0]?.operation_id).toBe(posted[1]?.operation_id);
  });

  it("suggests an id when nobody is in the field", async () => {
    show();
    const field = screen.getByLabelText("Id of the new run") as HTMLInputElement;
    fireEvent.focus(field);
    await screen.findByText("Steps 1–3 with their real outputs.");
    expect(field.value).toBe("");
    fireEvent.blur(field);
    await waitFor(() => expect(field.value).toBe("run-7.step-3"));
  });

  it("does nothing with an id that is none", async () => {
    show();
    await screen.findByText("Steps 1–3 with their real outputs.");
    fireEvent.input(screen.getByLabelText("Id of the new run"), { target: { value: "a b" } });
    await screen.findByText("1 to 256 of A-Z a-z 0-9 . _ : -");
    expect((screen.getByText("Fork") as HTMLButtonElement).disabled).toBe(true);
  });
});
