/** What the dialog reads of a source before it forks it. */

import { ApiError, api, segment } from "../../api/http";
import type { ExecutionsReply, VersionSummary } from "../../api/types";
import type { Known } from "./plan";
import type { Metadata } from "./types";

interface Step {
  channel_id: string;
  step_number: number;
  cursor: number;
}

const VERSIONS_MAX = 10_000;

/** The highest step, 0 for none. */
export async function latestStep(channelId: string, signal?: AbortSignal): Promise<number> {
  const path = `/api/v1/channels/${segment(channelId)}/steps`;
  return (await api.get<{ last_step_number: number }>(path, {}, signal)).last_step_number;
}

/** Where a step stands; null where it is not recorded. An inherited one stands on an ancestor. */
export async function findStep(channelId: string, step: number, signal?: AbortSignal): Promise<Step | null> {
  try {
    return await api.get<Step>(`/api/v1/channels/${segment(channelId)}/steps/${step}`, {}, signal);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/** How many steps are recorded by a cursor; null where their numbers have gaps. */
export async function stepsBy(
  channelId: string,
  cursor: number,
  signal?: AbortSignal,
): Promise<number | null> {
  let low = 0;
  let high = await latestStep(channelId, signal);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const step = await findStep(channelId, middle, signal);
    if (step === null) return null;
    // What an ancestor recorded lies before everything of this channel's own.
    if (step.channel_id !== channelId || step.cursor <= cursor) low = middle;
    else high = middle - 1;
  }
  return low;
}

export async function knownOf(channelId: string, signal?: AbortSignal): Promise<Known> {
  const path = `/api/v1/channels/${segment(channelId)}/metadata`;
  const [saved, ledger, metadata] = await Promise.all([
    api.get<{ versions: VersionSummary[] }>(
      `/api/v1/state/${segment(channelId)}/versions`,
      { limit: VERSIONS_MAX },
      signal,
    ),
    api.get<ExecutionsReply>("/api/v1/executions", { channel_id: channelId, limit: 100 }, signal),
    api.get<Metadata>(path, {}, signal),
  ]);
  return {
    versions: saved.versions,
    executions: ledger.executions,
    hasMoreExecutions: ledger.has_more,
    parentId: metadata.parent_channel_id,
  };
}
