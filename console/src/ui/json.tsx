/** JSON that folds. Large values open level by level, so a payload of megabytes costs what is looked at. */

import { useState } from "preact/hooks";
import { ExactNumber, isBranch } from "../api/exact";
import type { Json } from "../api/types";
import { CopyButton } from "./copy";
import { Said } from "./said";
import { visible } from "./visible";

const CHILDREN_AT_FIRST = 200;
const TEXT_AT_FIRST = 2_000;

export function JsonBox({
  value,
  label,
  depth = 2,
}: {
  value: Json | undefined;
  label: string;
  depth?: number;
}) {
  if (value === undefined) return <p class="quiet">none</p>;
  return (
    <div class="json-box">
      <div class="tools">
        <CopyButton text={() => JSON.stringify(value, null, 2)} what={label} />
      </div>
      <div class="json">
        <Value value={value} name={null} open={depth} />
      </div>
    </div>
  );
}

function Value({ value, name, open }: { value: Json; name: string | null; open: number }) {
  if (isBranch(value)) return <Branch value={value} name={name} open={open} />;
  return (
    <div class="leaf">
      <Name name={name} />
      <Leaf value={value} />
    </div>
  );
}

function Branch({
  value,
  name,
  open,
}: {
  value: Json[] | { [name: string]: Json };
  name: string | null;
  open: number;
}) {
  const entries = Array.isArray(value)
    ? value.map((it, at) => [String(at), it] as const)
    : Object.entries(value);
  const [isOpen, setOpen] = useState(open > 0);
  const [shown, setShown] = useState(CHILDREN_AT_FIRST);
  const brief = Array.isArray(value) ? `[ ${entries.length} ]` : `{ ${entries.length} }`;
  if (entries.length === 0) {
    return (
      <div class="leaf">
        <Name name={name} />
        {Array.isArray(value) ? "[]" : "{}"}
      </div>
    );
  }
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Name name={name} />
        <span class="brief">{brief}</span>
      </summary>
      {isOpen && (
        <div>
          {entries.slice(0, shown).map(([key, it]) => (
            <Value key={key} value={it} name={key} open={open - 1} />
          ))}
          {entries.length > shown && (
            <button type="button" class="plain" onClick={() => setShown(shown * 5)}>
              {entries.length - shown} more
            </button>
          )}
        </div>
      )}
    </details>
  );
}

function Name({ name }: { name: string | null }) {
  return name === null ? null : (
    <>
      <span class="name">
        <Said text={name} />
      </span>
      :{" "}
    </>
  );
}

function Leaf({ value }: { value: string | number | boolean | null | ExactNumber }) {
  const [whole, setWhole] = useState(false);
  if (typeof value !== "string") {
    const isNumber = typeof value === "number" || value instanceof ExactNumber;
    return <span class={isNumber ? "num-value" : "word"}>{String(value)}</span>;
  }
  const isLong = value.length > TEXT_AT_FIRST && !whole;
  return (
    <>
      <span class="str">{visible(JSON.stringify(isLong ? value.slice(0, TEXT_AT_FIRST) : value))}</span>
      {isLong && (
        <button type="button" class="plain" onClick={() => setWhole(true)}>
          … {value.length - TEXT_AT_FIRST} more characters
        </button>
      )}
    </>
  );
}
