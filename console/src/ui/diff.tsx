import type { Json } from "../api/types";
import { type Difference, differences } from "./differences";
import { Said } from "./said";
import { visible } from "./visible";

const AT_FIRST = 500;
const SIGNS: Record<Difference["kind"], string> = { added: "+", removed: "−", changed: "±" };

/** Every place where two values differ; sign and word, not colour alone, say how. */
export function Diff({ left, right }: { left: Json; right: Json }) {
  const found = differences(left, right);
  if (found.length === 0) return <p class="quiet">No difference.</p>;
  return (
    <>
      <table class="diff">
        <thead>
          <tr>
            <th scope="col">Where</th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          {found.slice(0, AT_FIRST).map((it) => (
            <tr key={it.path}>
              <th scope="row" class={it.kind}>
                <span aria-hidden="true">{SIGNS[it.kind]}</span> <Said text={it.path} />
                <span class="visually-hidden"> {it.kind}</span>
              </th>
              <td>{told(it.left)}</td>
              <td>{told(it.right)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {found.length > AT_FIRST && <p class="quiet">… and {found.length - AT_FIRST} more</p>}
    </>
  );
}

function told(value: Json | undefined): string {
  if (value === undefined) return "";
  const text = JSON.stringify(value);
  return visible(text.length > 500 ? `${text.slice(0, 500)}…` : text);
}
