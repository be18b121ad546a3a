/** What a fork may do with tools: rows of a tool and a policy. */

import type { PolicyRow } from "./plan";
import type { Policy } from "./types";

const POLICIES: [Policy, string][] = [
  ["auto", "auto: replay what was done before, run the rest"],
  ["replay", "replay: only what was done before"],
  ["block", "block: refuse every call"],
  ["live", "live: run every call again"],
];

interface Props {
  rows: PolicyRow[];
  setRows: (rows: PolicyRow[]) => void;
  /** Names to choose from; others may be typed. */
  tools: string[];
  error: string | null;
}

export function PolicyRows({ rows, setRows, tools, error }: Props) {
  const change = (at: number, row: PolicyRow) => setRows(rows.map((it, place) => (place === at ? row : it)));
  return (
    <fieldset class="policies">
      <legend>Tools</legend>
      {rows.length === 0 && (
        <p class="quiet">
          Calls that were made before, with the same input, are answered from the record; all others run.
        </p>
      )}
      {rows.map((row, at) => (
        // A row is known by its place alone: its tool is being typed.
        <div class="policy" key={at}>
          <input
            type="text"
            list="fork-tools"
            aria-label={`Tool of policy ${at + 1}`}
            placeholder="tool, or * for all others"
            value={row.tool}
            onInput={(event) => change(at, { ...row, tool: event.currentTarget.value })}
          />
          <select
            aria-label={`Policy ${at + 1}`}
            value={row.policy}
            onChange={(event) => change(at, { ...row, policy: event.currentTarget.value as Policy })}
          >
            {POLICIES.map(([policy, words]) => (
              <option key={policy} value={policy}>
                {words}
              </option>
            ))}
          </select>
          <button
            type="button"
            class="plain"
            aria-label={`Remove policy ${at + 1}`}
            onClick={() => setRows(rows.filter((_, place) => place !== at))}
          >
            Remove
          </button>
        </div>
      ))}
      <datalist id="fork-tools">
        {["*", ...tools].map((it) => (
          <option key={it} value={it} />
        ))}
      </datalist>
      {error !== null && (
        <p class="complaint" role="alert">
          {error}
        </p>
      )}
      <button type="button" class="plain" onClick={() => setRows([...rows, { tool: "", policy: "block" }])}>
        Add a policy
      </button>
    </fieldset>
  );
}
