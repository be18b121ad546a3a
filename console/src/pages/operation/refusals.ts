/** What a refusal means to somebody who has just decided something. */

import { ApiError, RefusedForGood } from "../../api/http";

const WORDS: Record<string, string> = {
  execution_moved_on:
    "Another attempt has begun since you looked, so nothing was recorded: what you have found out may not hold for it. Close this, look again, and resolve what you see then.",
  execution_in_progress:
    "A worker holds it by now, and its lease is live, so nothing was recorded. Wait for its end; if it falls silent, you can resolve it then.",
  execution_terminal:
    "Somebody was faster: it is completed by now, and not with what you say. Nothing was recorded. Close this to see its result.",
  execution_not_owned: "That is not the token of the latest attempt. Nothing was changed.",
  execution_ambiguous:
    "Nobody knows what became of an earlier undo of this effect. Resolve that operation first: its key is this one's with “:undo”.",
  idempotency_key_mismatch:
    "An earlier effect under this key was undone, and that record holds the key of the undo. Delete that execution first, if it may go.",
  channel_closed: "The run is closed, and takes no more events. Nothing was recorded.",
  unreachable:
    "The server cannot be reached, so whether this was recorded is not known. Send it again: the same is recorded once.",
};

// What has happened stays so, and what was said was said of something else.
const FOR_GOOD = new Set([
  "execution_moved_on",
  "execution_terminal",
  "execution_not_found",
  "channel_not_found",
  "channel_closed",
  "channel_deleted",
]);

/** Does it, and tells a refusal in words. */
export async function told<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const isForGood = error instanceof RefusedForGood || FOR_GOOD.has(error.code);
    const Refusal = isForGood ? RefusedForGood : ApiError;
    throw new Refusal(error.status, error.code, WORDS[error.code] ?? error.message, error.field);
  }
}
