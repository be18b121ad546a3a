/** What a fork would be: its request, and in words what it inherits. No calls are made here. */

import type { Execution, VersionSummary } from "../../api/types";
import { count } from "../../ui/time";
import type { ForkBody, Policy } from "./types";

export interface PolicyRow {
  tool: string;
  policy: Policy;
}

/** What the form says. */
export interface ForkForm {
  newId: string;
  displayName: string;
  reason: string;
  policies: PolicyRow[];
  copiesState: boolean;
}

/** Where a fork begins, in the numbering of the channel that recorded it. */
export interface Place {
  sourceId: string;
  /** 0 is the latest state. */
  cursor: number;
  /** The steps behind it, where they are known. */
  step: number | null;
  /** Whether the person chose the step; then the fork counts from it. */
  isByStep: boolean;
}

const ID_FORM = /^[A-Za-z0-9._:-]{1,256}$/;

/** Why an id cannot be a channel's; null if it can. */
export function refusalOfId(id: string, sourceId: string): string | null {
  if (id === "") return "Give the new run an id.";
  if (!ID_FORM.test(id) || id === "." || id === "..") return "1 to 256 of A-Z a-z 0-9 . _ : -";
  if (id === sourceId) return "This is the source. A fork needs an id of its own.";
  return null;
}

/** `run-7.step-6`, or the next that is free. */
export function suggestId(
  sourceId: string,
  place: Pick<Place, "cursor" | "step">,
  taken: Iterable<string>,
): string {
  const known = new Set(taken);
  const where =
    place.step !== null ? `step-${place.step}` : place.cursor > 0 ? `at-${place.cursor}` : "latest";
  const base = `${sourceId.slice(0, 220)}.${where}`;
  if (!known.has(base)) return base;
  let number = 2;
  while (known.has(`${base}.${number}`)) number += 1;
  return `${base}.${number}`;
}

/** Policies by tool; an error in words where a tool has two. Rows without a tool say nothing. */
export function readPolicies(
  rows: PolicyRow[],
): { policies: Record<string, Policy> | null } | { error: string } {
  const found = new Map<string, Policy>();
  for (const { tool, policy } of rows) {
    const name = tool.trim();
    if (name === "") continue;
    if (found.has(name)) return { error: `“${name}” has two policies.` };
    found.set(name, policy);
  }
  return { policies: found.size > 0 ? Object.fromEntries(found) : null };
}

export function toBody(place: Place, form: ForkForm): ForkBody {
  const read = readPolicies(form.policies);
  const policies = "error" in read ? null : read.policies;
  return {
    source_channel_id: place.sourceId,
    new_channel_id: form.newId.trim(),
    at_cursor: place.cursor,
    copy_state: form.copiesState,
    ...(form.displayName.trim() ? { display_name: form.displayName.trim() } : {}),
    ...(form.reason.trim() ? { reason: form.reason.trim() } : {}),
    ...(place.isByStep && place.step !== null ? { experiment_metadata: { forked_at_step: place.step } } : {}),
    ...(policies !== null ? { tool_policies: policies } : {}),
  };
}

/** What is known of the source when the words are chosen. */
export interface Known {
  /** Newest first; null while they are not loaded. */
  versions: VersionSummary[] | null;
  /** The source's own operations, newest first; null while they are not loaded. */
  executions: Execution[] | null;
  hasMoreExecutions: boolean;
  /** What the source is a fork of itself. */
  parentId: string | null;
}

export const NOTHING_KNOWN: Known = {
  versions: null,
  executions: null,
  hasMoreExecutions: false,
  parentId: null,
};

/** The state that a fork would start with: the newest one at or before the place. */
export function stateAt(versions: VersionSummary[], cursor: number): VersionSummary | null {
  if (cursor === 0) return versions[0] ?? null;
  return versions.find((it) => it.cursor <= cursor) ?? null;
}

/** Tools whose calls completed after the place, with how many: the fork would run them again. */
export function toolsAfter(executions: Execution[], cursor: number): Map<string, number> {
  const found = new Map<string, number>();
  if (cursor === 0) return found;
  for (const it of executions) {
    if (it.status !== "completed" || it.completed_cursor === null || it.completed_cursor <= cursor) continue;
    found.set(it.tool_name, (found.get(it.tool_name) ?? 0) + 1);
  }
  return found;
}

export interface Told {
  inherited: string[];
  /** What the fork does not know of; null when it is behind everything. */
  left: string | null;
  /** Why the server would refuse, as far as it can be seen from here. */
  refusal: string | null;
}

/** What a fork at this place has behind it, and what not. */
export function tellInheritance(place: Place, known: Known, copiesState: boolean): Told {
  const inherited: string[] = [];
  if (place.step !== null && place.step > 0) {
    const steps =
      place.step === 1 ? "Step 1 with its real output" : `Steps 1–${place.step} with their real outputs`;
    inherited.push(`${steps}.`);
  } else if (place.step === null) {
    inherited.push("The steps recorded by then, with their real outputs.");
  }
  let refusal: string | null = null;
  if (!copiesState) {
    inherited.push("No state: it starts empty, with the steps and effects alone.");
  } else if (known.versions !== null) {
    const state = stateAt(known.versions, place.cursor);
    if (state !== null)
      inherited.push(`The state as version ${state.version} saved it, at cursor ${state.cursor}.`);
    else if (place.cursor === 0) inherited.push("No state, as none was ever saved.");
    else
      refusal = `No state was saved at or before cursor ${place.cursor}. Fork later, or without the state.`;
  }
  if (known.executions !== null) {
    const done = known.executions.filter(
      (it) => it.status === "completed" && (place.cursor === 0 || (it.completed_cursor ?? 0) <= place.cursor),
    ).length;
    if (done > 0 || known.hasMoreExecutions) inherited.push(tellDone(done, known.hasMoreExecutions));
  }
  if (known.parentId !== null)
    inherited.push(`The stored results that ${place.sourceId} itself inherits from ${known.parentId}.`);
  return { inherited, left: tellLeft(place, known), refusal };
}

function tellDone(done: number, hasMore: boolean): string {
  if (done === 1 && !hasMore)
    return "The stored result of 1 operation completed by then: asked for again, it is not run again.";
  return `The stored results of ${count(done)}${hasMore ? " or more" : ""} operations completed by then: asked for again, they are not run again.`;
}

function tellLeft(place: Place, known: Known): string | null {
  if (place.cursor === 0 || known.executions === null) return null;
  const after = toolsAfter(known.executions, place.cursor);
  if (after.size === 0) return "Nothing after.";
  const tools = [...after].map(([tool, times]) => (times > 1 ? `${tool} (${times} times)` : tool));
  return `Nothing after. These ran later, so the fork would run them again: ${tools.join(", ")}.`;
}
