/** How much waits for a person, for the badges of the navigation. */

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api } from "./api/http";
import type { ExecutionsReply } from "./api/types";

const EVERY_MS = 15_000;

export const openQuestions = signal({ unresolved: 0, approvals: 0 });

/** Ask now: something was just decided. */
export async function countOpenQuestions(): Promise<void> {
  const [ambiguous, approvals] = await Promise.allSettled([
    api.get<ExecutionsReply>("/api/v1/executions", { status: "ambiguous", limit: 100 }),
    api.get<{ approvals: unknown[] }>("/api/v1/approvals", { status: "pending", limit: 100 }),
  ]);
  openQuestions.value = {
    unresolved: ambiguous.status === "fulfilled" ? ambiguous.value.executions.length : 0,
    approvals: approvals.status === "fulfilled" ? approvals.value.approvals.length : 0,
  };
}

export function useOpenQuestions(): void {
  useEffect(() => {
    void countOpenQuestions();
    const timer = setInterval(() => document.hidden || void countOpenQuestions(), EVERY_MS);
    return () => clearInterval(timer);
  }, []);
}
