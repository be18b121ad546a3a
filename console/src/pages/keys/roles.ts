/** Roles are names for permissions: four that most keys are, and anything else by its patterns. */

import type { Permissions } from "../../api/types";
import type { ApiKey } from "./types";

export type Role = "observer" | "reader" | "worker" | "admin";

export const ROLES: [Role, string, string][] = [
  ["observer", "Observer", "Sees keys, statuses and times, and nothing of what was said or done."],
  ["reader", "Reader", "Sees everything, changes nothing."],
  ["worker", "Worker", "Reads and writes: what an agent needs."],
  ["admin", "Admin", "Everything, deleting, guards and keys included."],
];

const GRANTS: Record<Role, (keyof Permissions)[]> = {
  observer: ["observe"],
  reader: ["read"],
  worker: ["read", "write"],
  admin: ["admin"],
};

const ACTIONS: (keyof Permissions)[] = ["observe", "read", "write", "delete", "admin"];

export function permissionsOf(role: Role, patterns: string[]): Permissions {
  const none: Permissions = { observe: [], read: [], write: [], delete: [], admin: [] };
  return { ...none, ...Object.fromEntries(GRANTS[role].map((action) => [action, patterns])) };
}

/** Patterns out of what was typed: separated by spaces, commas or lines. */
export function readPatterns(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((it) => it !== ""))];
}

const PATTERN = /^([A-Za-z0-9._:-]{1,256}\*?|\*)$/;

/** Why the patterns cannot be sent; null if they can. */
export function refusalOfPatterns(patterns: string[]): string | null {
  if (patterns.length === 0) return "Say for which runs.";
  const bad = patterns.find((it) => !PATTERN.test(it));
  return bad === undefined
    ? null
    : `“${bad}” is no pattern: a run's id, the beginning of one and *, or * for all.`;
}

/** The role, where it is one, and for which runs; else each action with its patterns. */
export function tellPermissions(permissions: Permissions): { what: string; patterns: string[] }[] {
  const granted = ACTIONS.filter((action) => saysMore(permissions, action));
  const [first] = granted;
  if (first === undefined) return [];
  const patterns = permissions[first] ?? [];
  const areAlike = granted.every((it) => sameTexts(permissions[it] ?? [], patterns));
  const role = ROLES.find(([role]) => sameTexts(GRANTS[role], granted));
  if (areAlike) return [{ what: role === undefined ? granted.join(", ") : role[1], patterns }];
  return granted.map((action) => ({ what: action, patterns: permissions[action] ?? [] }));
}

/** Whether a list grants what no wider one does: `admin` is everything, and reading is more than observing. */
function saysMore(permissions: Permissions, action: keyof Permissions): boolean {
  const wider =
    action === "admin" ? [] : [...permissions.admin, ...(action === "observe" ? permissions.read : [])];
  return (permissions[action] ?? []).some((it) => !wider.includes(it));
}

function sameTexts(one: string[], other: string[]): boolean {
  return one.length === other.length && one.every((it) => other.includes(it));
}

export type KeyStanding = "valid" | "expired" | "revoked";

export function keyStanding(key: Pick<ApiKey, "expires_at" | "revoked_at">, now: number): KeyStanding {
  if (key.revoked_at !== null) return "revoked";
  return key.expires_at !== null && Date.parse(key.expires_at) <= now ? "expired" : "valid";
}
