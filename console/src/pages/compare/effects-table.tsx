/** The operations of both sides, grouped by what became of them. */

import { useState } from "preact/hooks";
import { Diff } from "../../ui/diff";
import { JsonBox } from "../../ui/json";
import { OperationLink } from "../../ui/links";
import { Said } from "../../ui/said";
import { Status } from "../../ui/status";
import { count } from "../../ui/time";
import { visible } from "../../ui/visible";
import { type EffectGroup, type EffectRow, groupEffects, type Side } from "./effects";
import type { Comparison } from "./types";

const ROWS_AT_FIRST = 50;

export function Effects({ of }: { of: Comparison }) {
  const groups = groupEffects(of.tool_diff, of.effects);
  return (
    <>
      <p class="effect-sums">
        <Sum name="Left" of={of.effects.left} />
        <Sum name="Right" of={of.effects.right} />
      </p>
      {groups.length === 0 && <p class="quiet">Neither has claimed an operation.</p>}
      {groups.map((it) => (
        <Group key={it.name} group={it} />
      ))}
      {of.tool_diff.truncated && <p class="quiet">There are more; these are the oldest 1,000 keys.</p>}
    </>
  );
}

function Sum({ name, of }: { name: string; of: Comparison["effects"]["left"] }) {
  const more = of.truncated ? "+" : "";
  return (
    <span>
      <strong>{name}</strong> ran {count(of.ran)}, inherits {count(of.inherited)}, replayed{" "}
      {count(of.replayed.length)}
      {more}, refused {count(of.blocked.length)}
      {more}
    </span>
  );
}

function Group({ group }: { group: EffectGroup }) {
  const [most, setMost] = useState(ROWS_AT_FIRST);
  const hidden = group.rows.length - most;
  return (
    <section class="effect-group">
      <h3>
        {group.name} <span class="quiet">({count(group.rows.length)})</span>
      </h3>
      <p class="quiet">{group.words}</p>
      <table class="stacked effects-of-both">
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col">Tool</th>
            <th scope="col">Left</th>
            <th scope="col">Right</th>
          </tr>
        </thead>
        <tbody>
          {group.rows.slice(0, most).map((it) => (
            <Row key={it.key} row={it} />
          ))}
        </tbody>
      </table>
      {hidden > 0 && (
        <button type="button" class="plain" onClick={() => setMost(most * 5)}>
          {count(hidden)} more
        </button>
      )}
    </section>
  );
}

function Row({ row }: { row: EffectRow }) {
  const [isOpen, setOpen] = useState(false);
  const id = row.left.call?.id ?? row.right.call?.id;
  const opens = row.changed !== null || row.only !== null;
  return (
    <>
      <tr>
        <td>
          {id === undefined ? (
            <span class="mono">
              <Said text={row.key} />
            </span>
          ) : (
            <OperationLink id={id} name={row.key} />
          )}
          {opens && (
            <button type="button" class="plain opens" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {isOpen
                ? "Hide"
                : row.changed
                  ? visible(`differs in ${row.changed.differs.join(", ")}`)
                  : "Show"}
              <span class="visually-hidden"> {visible(row.key)}</span>
            </button>
          )}
        </td>
        <td class="mono">
          <Said text={row.tool} />
        </td>
        <td data-label="Left">
          <SideOf side={row.left} first={id} />
        </td>
        <td data-label="Right">
          <SideOf side={row.right} first={id} />
        </td>
      </tr>
      {isOpen && (
        <tr class="effect-detail">
          <td colSpan={4}>
            {row.changed !== null && (
              <Diff left={contentOf(row.changed.left)} right={contentOf(row.changed.right)} />
            )}
            {row.only !== null && <JsonBox value={contentOf(row.only)} label={`${row.key}, its content`} />}
          </td>
        </tr>
      )}
    </>
  );
}

const contentOf = (it: NonNullable<EffectRow["only"]>) => ({
  tool_name: it.tool_name,
  status: it.status,
  params: it.params,
  result: it.result,
  error: it.error,
});

function SideOf({ side, first }: { side: Side; first: string | undefined }) {
  if (side.call === null) {
    if (side.blockedBy === null) return <span class="quiet">–</span>;
    return <Status of="cancelled">{`refused: ${side.blockedBy}`}</Status>;
  }
  return (
    <span class="side">
      <Status of={side.call.status} />
      {side.isInherited && <span class="quiet"> inherited</span>}
      {side.call.id !== first && (
        <>
          {" "}
          <OperationLink id={side.call.id} name="its own" />
        </>
      )}
    </span>
  );
}
