/** All operations of all runs: what is open first, and among it what waits for a person. */

import { useLocation } from "preact-iso";
import { api } from "../../api/http";
import { type Pages, usePages } from "../../api/pages";
import type { Execution, ExecutionsReply } from "../../api/types";
import { ListEnd } from "../../ui/more";
import { useRowKeys } from "../../ui/row-keys";
import { type Standing, Status } from "../../ui/status";
import { useNow } from "../../ui/time";
import { useTitle } from "../../ui/title";
import { Trouble } from "../../ui/trouble";
import { FilterForm } from "./filter-form";
import { apart, type Filters, filtersOf, ledgerPath, type Open, type Row, searchOf } from "./sections";
import { OperationTable } from "./table";
import "./ledger.css";

const REFRESH_MS = 5_000;
const ENDED = ["completed", "failed", "cancelled"] as const;

const OPEN_KINDS: Record<Open, { title: string; told: string }> = {
  ambiguous: {
    title: "Needs a decision",
    told: "Nobody knows whether these happened, and nobody gets them before somebody says so: look in the provider's books, then open one and resolve it.",
  },
  lapsed: {
    title: "Lapsed",
    told: "Their workers fell silent. Whoever claims the key next runs the tool again; until then nothing happens by itself.",
  },
  running: { title: "Running", told: "A worker holds each of these, and its lease is live." },
};

export function Ledger() {
  useTitle("Ledger");
  useRowKeys();
  const { query } = useLocation();
  const filters = filtersOf(query);
  const search = searchOf(filters);
  const now = useNow();
  const pages = {
    ambiguous: useOperations(search, "ambiguous"),
    lapsed: useOperations(search, "lapsed"),
    running: useOperations(search, "running"),
    // Asked in any case, so that the others need not be asked again when a filter is taken away.
    all: useOperations(search, isEnded(filters.status) ? filters.status : ""),
  };
  const rows = apart(
    {
      ambiguous: pages.ambiguous.items,
      lapsed: pages.lapsed.items,
      running: pages.running.items,
      all: pages.all.items,
    },
    now,
  );
  // What ails one of the searches ails all of them: it is told once.
  const ailing = Object.values(pages).find((it) => it.error !== null);
  const shown = (kind: Open) => filters.status === "" || filters.status === kind;
  const hasFilter = ledgerPath({ ...filters, status: "" }) !== "/ledger";
  return (
    <>
      <div class="page-head">
        <h1>Ledger</h1>
      </div>
      <nav class="counters" aria-label="Open operations">
        {(Object.keys(OPEN_KINDS) as Open[]).map((kind) => (
          <Counter key={kind} kind={kind} filters={filters} pages={pages[kind]} rows={rows[kind]} />
        ))}
      </nav>
      <FilterForm filters={filters} />
      {search === null && (
        <p class="notice bad" role="alert">
          “{filters.older}” is no age. Write a number and s, m, h or d: 15m, 2h, 7d.
        </p>
      )}
      {ailing?.error && (
        <Trouble
          error={ailing.error}
          retry={() => {
            for (const it of Object.values(pages)) it.reload();
          }}
        />
      )}
      {(Object.keys(OPEN_KINDS) as Open[]).filter(shown).map((kind) => (
        <OpenSection
          key={kind}
          kind={kind}
          rows={rows[kind]}
          pages={pages[kind]}
          isAlone={filters.status === kind}
        />
      ))}
      {(filters.status === "" || isEnded(filters.status)) &&
        (ailing === undefined || rows.ended.length > 0) && (
          <section aria-labelledby="ended-title" class="ledger-section">
            <h2 id="ended-title">
              {filters.status === "" ? "Everything else, newest first" : filters.status}
            </h2>
            <OperationTable rows={rows.ended} />
            <ListEnd
              pages={{ ...pages.all, error: null, items: rows.ended as Execution[] }}
              none={
                hasFilter
                  ? "Nothing matches."
                  : filters.status === ""
                    ? "No run has ended an operation yet."
                    : `Nothing is ${filters.status}.`
              }
            />
          </section>
        )}
    </>
  );
}

function isEnded(status: string): boolean {
  return (ENDED as readonly string[]).includes(status);
}

function useOperations(search: Record<string, string | number> | null, status: string): Pages<Execution> {
  return usePages<Execution>({
    load: async (after, signal) => {
      if (search === null) return { items: [], next: null };
      const reply = await api.get<ExecutionsReply>(
        "/api/v1/executions",
        { ...search, status, limit: 50, after },
        signal,
      );
      return { items: reply.executions, next: reply.next ?? null };
    },
    id: (it) => it.id,
    inputs: [search, status],
    refreshMs: REFRESH_MS,
  });
}

interface CounterProps {
  kind: Open;
  filters: Filters;
  pages: Pages<Execution>;
  rows: Row[];
}

/** How many there are; a click shows them alone, and another one all again. */
function Counter({ kind, filters, pages, rows }: CounterProps) {
  const isOn = filters.status === kind;
  const isFirst = pages.loading && rows.length === 0;
  const number =
    pages.error !== null && rows.length === 0
      ? "–"
      : isFirst
        ? "…"
        : `${rows.length}${pages.hasMore && rows.length > 0 ? "+" : ""}`;
  return (
    <a
      class={`counter ${rows.length === 0 ? "is-none" : ""}`}
      href={ledgerPath({ ...filters, status: isOn ? "" : kind })}
      aria-current={isOn ? "true" : undefined}
    >
      <strong>{number}</strong>
      <Status of={kind as Standing}>{OPEN_KINDS[kind].title.toLowerCase()}</Status>
    </a>
  );
}

interface SectionProps {
  kind: Open;
  rows: Row[];
  pages: Pages<Execution>;
  isAlone: boolean;
}

function OpenSection({ kind, rows, pages, isAlone }: SectionProps) {
  const isQuiet = rows.length === 0 && !pages.hasMore;
  if (isQuiet && !isAlone) return null;
  const { title, told } = OPEN_KINDS[kind];
  return (
    <section aria-labelledby={`${kind}-title`} class={`ledger-section section-${kind}`}>
      <h2 id={`${kind}-title`}>{title}</h2>
      {rows.length > 0 && <p class="told">{told}</p>}
      <OperationTable rows={rows} />
      {/* A search that goes on quietly is no news. */}
      {(isAlone || (pages.hasMore && !pages.loading)) && pages.error === null && (
        <ListEnd pages={{ ...pages, items: rows as Execution[] }} none={`Nothing is ${kind}.`} />
      )}
    </section>
  );
}
