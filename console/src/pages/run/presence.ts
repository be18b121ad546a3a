import { ApiError } from "../../api/http";

interface Known {
  /** What the list of the runs says; its data are null where it has none of this name. */
  run: { data: unknown; error: Error | null; loading: boolean };
  log: { error: Error | null; isLoading: boolean; isEmpty: boolean };
}

/**
 * Whether there is a run to show. To those who may not see it, it looks like one that is not there; and one
 * that is being written to is there before it is in the list.
 */
export function presenceOf({ run, log }: Known): "there" | "asking" | "missing" {
  if (run.data !== null || !log.isEmpty) return "there";
  if (run.loading || log.isLoading) return "asking";
  const errors = [run.error, log.error].filter((it) => it !== null);
  return errors.every(isRefusal) ? "missing" : "there";
}

/** By its permissions, or because no run can have this name. */
function isRefusal(error: Error): boolean {
  return error instanceof ApiError && [400, 403, 404].includes(error.status);
}
