/** Differences as the server found them; sign and word, not colour alone, say how. */

import type { Json } from "../../api/types";
import { Said } from "../../ui/said";
import { count } from "../../ui/time";
import { visible } from "../../ui/visible";
import { pathText } from "./path-text";
import type { Difference, Entry } from "./types";

const SIGNS: Record<Entry["kind"], string> = { added: "+", removed: "−", changed: "±" };
const WORDS: Record<Entry["kind"], string> = {
  added: "only on the right",
  removed: "only on the left",
  changed: "differs",
};

export function Entries({ of, none }: { of: Difference; none: string }) {
  if (of.entry_count_total === 0) return <p class="quiet">{none}</p>;
  return (
    <>
      <table class="diff stacked">
        <thead>
          <tr>
            <th scope="col">Where</th>
            <th scope="col">Left</th>
            <th scope="col">Right</th>
          </tr>
        </thead>
        <tbody>
          {of.entries.map((it) => (
            <tr key={JSON.stringify(it.path)}>
              <th scope="row" class={it.kind}>
                <span aria-hidden="true">{SIGNS[it.kind]}</span> <Said text={pathText(it.path)} />
                <span class="visually-hidden"> {WORDS[it.kind]}</span>
              </th>
              <td data-label="Left">{it.kind === "added" ? <Nothing /> : told(it.left)}</td>
              <td data-label="Right">{it.kind === "removed" ? <Nothing /> : told(it.right)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {of.truncated && (
        <p class="quiet">
          The first {count(of.entries.length)} of {count(of.entry_count_total)} differences.
        </p>
      )}
    </>
  );
}

function Nothing() {
  return <span class="quiet">–</span>;
}

function told(value: Json): string {
  const text = JSON.stringify(value);
  return visible(text.length > 500 ? `${text.slice(0, 500)}…` : text);
}
