/** Which two runs: ids, with those that begin so to choose from. */

import { useEffect, useState } from "preact/hooks";
import { api } from "../../api/http";
import { useResource } from "../../api/resource";
import type { RunsReply } from "../../api/types";
import { visible } from "../../ui/visible";

const SETTLE_MS = 200;
const SUGGESTED = 20;

interface Props {
  left: string;
  right: string;
  go: (left: string, right: string) => void;
}

export function Picker({ left, right, go }: Props) {
  const [chosen, choose] = useState({ left, right });
  useEffect(() => choose({ left, right }), [left, right]);
  return (
    <form
      class="compare-picker"
      onSubmit={(event) => {
        event.preventDefault();
        go(chosen.left.trim(), chosen.right.trim());
      }}
    >
      <RunInput name="Left" value={chosen.left} onPick={(it) => choose({ ...chosen, left: it })} />
      <button
        type="button"
        class="swap"
        aria-label="Swap the two"
        title="Swap the two"
        disabled={!chosen.left && !chosen.right}
        onClick={() => {
          choose({ left: chosen.right, right: chosen.left });
          if (left && right) go(right, left);
        }}
      >
        ⇄
      </button>
      <RunInput name="Right" value={chosen.right} onPick={(it) => choose({ ...chosen, right: it })} />
      <button type="submit" class="primary" disabled={!chosen.left.trim() || !chosen.right.trim()}>
        Compare
      </button>
    </form>
  );
}

function RunInput({ name, value, onPick }: { name: string; value: string; onPick: (id: string) => void }) {
  const id = `pick-${name.toLowerCase()}`;
  const [settled, settle] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => settle(value.trim()), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  const runs = useResource<RunsReply>(
    (signal) => api.get("/api/v1/runs", { prefix: settled, limit: SUGGESTED }, signal),
    [settled],
  );
  return (
    <div class="field">
      <label for={id}>{name}</label>
      <input
        id={id}
        type="text"
        class="mono"
        list={`${id}-runs`}
        value={value}
        required
        placeholder="id of a run"
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => onPick(event.currentTarget.value)}
      />
      <datalist id={`${id}-runs`}>
        {(runs.data?.runs ?? []).map((it) => (
          <option key={it.channel_id} value={it.channel_id}>
            {visible(it.display_name ?? it.channel_id)}
          </option>
        ))}
      </datalist>
    </div>
  );
}
