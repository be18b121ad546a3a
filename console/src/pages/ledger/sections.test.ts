import { describe, expect, it } from "vitest";
import type { Execution } from "../../api/types";
import { apart, filtersOf, ledgerPath, searchOf, secondsOf } from "./sections";

const NOW = Date.UTC(2026, 0, 1, 12);

function row(id: string, status: Execution["status"], leaseSeconds: number | null = null): Execution {
  const lease_until = leaseSeconds === null ? null : new Date(NOW + leaseSeconds * 1_000).toISOString();
  return { id, status, lease_until } as Execution;
}

describe("apart", () => {
  const unknown = row("unknown", "ambiguous", -60);
  const lost = row("lost", "running", -5);
  const busy = row("busy", "running", 30);
  const done = row("done", "completed");
  // As the server answers: what is open is in more than one of its lists.
  const found = apart(
    {
      ambiguous: [unknown],
      lapsed: [unknown, lost],
      running: [lost, busy],
      all: [busy, done, lost, unknown],
    },
    NOW,
  );

  it("shows each operation once, where it belongs", () => {
    const ids = Object.fromEntries(
      Object.entries(found).map(([name, rows]) => [name, rows.map((it) => it.id)]),
    );
    expect(ids).toEqual({ ambiguous: ["unknown"], lapsed: ["lost"], running: ["busy"], ended: ["done"] });
  });

  it("believes the server that a lease has ended, whatever the browser's clock says", () => {
    const { lapsed, running } = apart({ ambiguous: [], lapsed: [busy], running: [busy], all: [busy] }, NOW);
    expect([lapsed.map((it) => it.standing), running]).toEqual([["lapsed"], []]);
  });
});

describe("searchOf", () => {
  it("asks for what is filled in", () => {
    const filters = filtersOf({ tool: "charge", key: "order:", field: "order", value: "4471", older: "2h" });
    expect(searchOf(filters)).toEqual({
      tool_name: "charge",
      key_prefix: "order:",
      field: "order",
      value: "4471",
      older_than_seconds: 7_200,
    });
  });

  it.each([
    [{}, {}],
    [{ field: "order" }, {}],
    [{ older: "yesterday" }, null],
  ])("of %j is %j", (query, expected) => {
    expect(searchOf(filtersOf(query))).toEqual(expected);
  });
});

it.each([
  ["90s", 90],
  ["15 m", 900],
  ["7d", 604_800],
  ["30", 30],
  ["1w", null],
  ["", null],
])("%s is %s seconds", (text, expected) => {
  expect(secondsOf(text)).toBe(expected);
});

it("makes addresses without what is empty", () => {
  expect(ledgerPath({ status: "", tool: "" })).toBe("/ledger");
  expect(ledgerPath({ status: "lapsed", value: "a b" })).toBe("/ledger?status=lapsed&value=a+b");
});
