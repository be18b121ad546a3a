import { describe, expect, it } from "vitest";
import { bindingOf, mayDecide, outcomeOf, payloadOf } from "./decisions";
import type { Approval, Decision } from "./types";

const asked = {
  request_id: "refund-88",
  channel_id: "run",
  status: "pending",
  operation: { key_name: "refund:88", tool_name: "refund", params: { cents: 4200 } },
  approval_fields: null,
  decided_by: null,
  decided_cursor: null,
} as unknown as Approval;

function answer(decision: Decision, reason = "") {
  return { decision, by: " Ada ", reason };
}

it("says what the client would", () => {
  expect(payloadOf(asked, answer("approved", " we were late "))).toEqual({
    request_id: "refund-88",
    decision: "approved",
    reason: "we were late",
  });
  expect(payloadOf(asked, answer("rejected"))).toEqual({ request_id: "refund-88", decision: "rejected" });
});

it.each<[Approval["status"], Decision, boolean]>([
  ["pending", "approved", true],
  ["pending", "rejected", true],
  ["approved", "rejected", true],
  ["approved", "approved", false],
  ["rejected", "approved", false],
  ["expired", "approved", false],
  ["superseded", "rejected", false],
])("of what is %s, %s counts: %s", (status, decision, expected) => {
  expect(mayDecide({ ...asked, status }, decision)).toBe(expected);
});

describe("outcomeOf", () => {
  it.each<[string, Partial<Approval>, Decision, string]>([
    [
      "ours",
      { status: "approved", decided_by: "Ada", decided_cursor: 5 },
      "approved",
      "refund:88 may be run",
    ],
    ["ours", { status: "rejected", decided_by: "Ada", decided_cursor: 5 }, "rejected", "Rejected by Ada"],
    [
      "a question about nothing in the ledger",
      { status: "approved", operation: null, decided_cursor: 5 },
      "approved",
      "Whoever asked",
    ],
    [
      "a faster yes",
      { status: "approved", decided_by: "Bo", decided_cursor: 4 },
      "approved",
      "Bo had approved it",
    ],
    [
      "a no beside our yes",
      { status: "rejected", decided_by: "Bo", decided_cursor: 6 },
      "approved",
      "a no stays",
    ],
    ["a deadline", { status: "expired", decided_cursor: null }, "approved", "changes nothing"],
  ])("tells of %s", (_, after, decision, expected) => {
    expect(outcomeOf({ ...asked, ...after }, answer(decision), 5)).toContain(expected);
  });
});

it.each([
  [asked, "All params bind"],
  [{ ...asked, approval_fields: ["invoice", "cents"] }, "Only invoice, cents bind"],
  [{ ...asked, approval_fields: ["cents"] }, "Only cents binds"],
  [{ ...asked, operation: null }, "bound to no operation"],
])("says what binds (%#)", (approval, expected) => {
  expect(bindingOf(approval as Approval)).toContain(expected);
});
