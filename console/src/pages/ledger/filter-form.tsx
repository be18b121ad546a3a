/** Filters live in the address, so that a view can be sent to somebody. */

import { useLocation } from "preact-iso";
import { allowsSome } from "../../api/permissions";
import { session } from "../../session";
import { type Filters, ledgerPath } from "./sections";

const STATUSES: [string, string][] = [
  ["", "all"],
  ["ambiguous", "needs a decision"],
  ["lapsed", "lapsed"],
  ["running", "running"],
  ["completed", "completed"],
  ["failed", "failed"],
  ["cancelled", "cancelled"],
];

export function FilterForm({ filters }: { filters: Filters }) {
  const { route } = useLocation();
  function apply(form: HTMLFormElement): void {
    const told = new FormData(form);
    const text = (name: string) => String(told.get(name) ?? "").trim();
    const wanted: Filters = {
      status: text("status"),
      tool: text("tool"),
      key: text("key"),
      field: text("field"),
      value: text("value"),
      older: text("older"),
    };
    route(ledgerPath(wanted));
  }
  // Who sees no params may not search them either.
  const readsParams = session.value !== null && allowsSome(session.value.permissions, "read");
  const hasFilter = ledgerPath(filters) !== "/ledger";
  // On a telephone the open questions come first; the filters are a tap away.
  const isOpen = hasFilter || matchMedia("(min-width: 44.01rem)").matches;
  return (
    <details class="filter-box" open={isOpen}>
      <summary>Filter</summary>
      <form
        // Filters that came by a link stand in the form, too.
        key={ledgerPath(filters)}
        class="filters ledger-filters"
        aria-label="Filter the ledger"
        onSubmit={(event) => {
          event.preventDefault();
          apply(event.currentTarget);
        }}
      >
        <label>
          Status
          <select
            name="status"
            onChange={(event) => event.currentTarget.form && apply(event.currentTarget.form)}
          >
            {STATUSES.map(([value, name]) => (
              <option key={value} value={value} selected={value === filters.status}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <Field name="tool" label="Tool" value={filters.tool} placeholder="charge" />
        <Field name="key" label="Key begins with" value={filters.key} placeholder="order:" />
        {readsParams && (
          <>
            <Field name="field" label="Field of the params" value={filters.field} placeholder="order_id" />
            <Field name="value" label="holds" value={filters.value} placeholder="4471" />
          </>
        )}
        <Field name="older" label="Older than" value={filters.older} placeholder="15m, 2h, 7d" />
        <button type="submit">Filter</button>
        {hasFilter && <a href="/ledger">Clear</a>}
      </form>
    </details>
  );
}

interface FieldProps {
  name: string;
  label: string;
  value: string;
  placeholder: string;
}

function Field({ name, label, value, placeholder }: FieldProps) {
  return (
    <label>
      {label}
      <input
        type="text"
        name={name}
        value={value}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
      />
    </label>
  );
}
