import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { follow } from "./api/stream";
import type { Session } from "./api/types";
import { checkSession, standing } from "./session";

const fetched = vi.fn<(path: string) => Promise<Response>>();

function answer(status: number): void {
  fetched.mockResolvedValue(new Response("{}", { status }));
}

beforeEach(() => {
  vi.stubGlobal("fetch", fetched);
  standing.value = { kind: "signed-in", session: { name: "Ada" } as Session };
});

afterEach(() => {
  vi.resetAllMocks();
  vi.unstubAllGlobals();
  document.body.innerHTML = "";
});

it.each([
  [200, "signed-in"],
  [401, "signed-out"],
  [503, "signed-in"],
])("is %s, then %s", async (status, expected) => {
  answer(status);
  await Promise.all([checkSession(), checkSession()]);
  expect(standing.value.kind).toBe(expected);
  expect(fetched).toHaveBeenCalledOnce();
});

it("tells of a form that was open", async () => {
  answer(401);
  document.body.innerHTML = "<dialog open></dialog>";
  await checkSession();
  expect(standing.value).toMatchObject({ reason: expect.stringContaining("form that was open is lost") });
});

it("is asked for as soon as a stream is lost", async () => {
  const sources: { onerror?: () => void; close: () => void }[] = [];
  class Source {
    static CLOSED = 2;
    readyState = 0;
    close = () => {};
    constructor() {
      sources.push(this);
    }
  }
  vi.stubGlobal("EventSource", Source);
  answer(401);
  const following = follow("run", 0, () => {});
  sources[0]?.onerror?.();
  await vi.waitFor(() => expect(standing.value.kind).toBe("signed-out"));
  following.stop();
});
