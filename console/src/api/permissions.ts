/** Channel patterns: `*` matches all, `prefix*` by prefix, anything else exactly. */

import type { Permissions } from "./types";

export type Action = keyof Permissions;

const IMPLIED_BY: Record<Action, Action[]> = {
  observe: ["observe", "read", "admin"],
  read: ["read", "admin"],
  write: ["write", "admin"],
  delete: ["delete", "admin"],
  admin: ["admin"],
};

export function matches(pattern: string, channelId: string): boolean {
  return pattern.endsWith("*") ? channelId.startsWith(pattern.slice(0, -1)) : pattern === channelId;
}

/** Whether the action is granted on this channel. */
export function allows(permissions: Permissions, action: Action, channelId: string): boolean {
  return IMPLIED_BY[action].some((each) => (permissions[each] ?? []).some((it) => matches(it, channelId)));
}

/** Whether the action is granted on any channel at all. */
export function allowsSome(permissions: Permissions, action: Action): boolean {
  return IMPLIED_BY[action].some((each) => (permissions[each] ?? []).length > 0);
}
