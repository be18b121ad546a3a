/** Where things are in the console: every link is made here. */

import { segment } from "../api/http";
import { Said } from "./said";

export const runPath = (channelId: string, cursor?: number | null) =>
  `/runs/${segment(channelId)}${cursor ? `?cursor=${cursor}` : ""}`;
export const operationPath = (executionId: string) => `/operations/${segment(executionId)}`;
export const forksPath = (channelId: string) => `/forks/${segment(channelId)}`;
export const comparePath = (left: string, right: string) =>
  `/compare?${new URLSearchParams({ left, right })}`;

export function RunLink({ id, name, cursor }: { id: string; name?: string | null; cursor?: number | null }) {
  return (
    <a class="mono" href={runPath(id, cursor)}>
      <Said text={name || id} />
    </a>
  );
}

export function OperationLink({ id, name }: { id: string; name: string }) {
  return (
    <a class="mono" href={operationPath(id)} data-row>
      <Said text={name} />
    </a>
  );
}
