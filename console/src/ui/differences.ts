/** Where two JSON values differ, as paths. Lists are compared by place. */

import { ExactNumber, isBranch } from "../api/exact";
import type { Json } from "../api/types";

export interface Difference {
  path: string;
  kind: "added" | "removed" | "changed";
  left?: Json;
  right?: Json;
}

export function differences(left: Json, right: Json, path = ""): Difference[] {
  if (Object.is(left, right)) return [];
  if (left instanceof ExactNumber && right instanceof ExactNumber && left.text === right.text) return [];
  if (isBranch(left) && isBranch(right) && Array.isArray(left) === Array.isArray(right)) {
    const one = left as Record<string, Json>;
    const other = right as Record<string, Json>;
    const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
    return names.flatMap((name): Difference[] => {
      const at = Array.isArray(left) ? `${path}[${name}]` : path ? `${path}.${name}` : name;
      const [a, b] = [own(one, name), own(other, name)];
      if (a === undefined) return [{ path: at, kind: "added", right: b as Json }];
      if (b === undefined) return [{ path: at, kind: "removed", left: a }];
      return differences(a, b, at);
    });
  }
  return [{ path: path || "(whole)", kind: "changed", left, right }];
}

/** A member, and nothing that objects have by birth. */
function own(value: Record<string, Json>, name: string): Json | undefined {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}
