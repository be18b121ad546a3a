/** Who is signed in. The credential itself is in a cookie that no script can read. */

import { computed, signal } from "@preact/signals";
import { ApiError, api, onSignedOut } from "./api/http";
import { type Action, allows } from "./api/permissions";
import type { Session } from "./api/types";

export type Standing =
  | { kind: "unknown" }
  | { kind: "signed-out"; reason: string | null }
  | { kind: "signed-in"; session: Session };

const PATH = "/api/v1/console/session";

export const standing = signal<Standing>({ kind: "unknown" });

/** The signed-in person or key; null before sign-in. */
export const session = computed(() => (standing.value.kind === "signed-in" ? standing.value.session : null));

const ENDED = "The session has ended. Sign in again.";
const FORM_LOST = "The form that was open is lost: what was typed into it has to be entered again.";

function endSession(): void {
  if (standing.value.kind !== "signed-in") return;
  const hasForm = document.querySelector("dialog[open]") !== null;
  standing.value = { kind: "signed-out", reason: hasForm ? `${ENDED} ${FORM_LOST}` : ENDED };
}

onSignedOut(endSession);

let asking: Promise<void> | null = null;

/** Ask whether the session still holds; nothing that is shown stays when it does not. */
export function checkSession(): Promise<void> {
  asking ??= api
    .get<Session>(PATH)
    .then(
      () => {},
      (error) => {
        if (error instanceof ApiError && error.status === 401) endSession();
      },
    )
    .finally(() => {
      asking = null;
    });
  return asking;
}

/** Ask the server whom the cookie names. */
export async function learnWho(): Promise<void> {
  try {
    standing.value = { kind: "signed-in", session: await api.get<Session>(PATH) };
  } catch (error) {
    const reason = error instanceof ApiError && error.status === 401 ? null : String(error);
    standing.value = { kind: "signed-out", reason };
  }
}

export type Credential = { api_key: string } | { email: string; password: string };

/** Raises ApiError where the credential is not good. */
export async function signIn(credential: Credential): Promise<void> {
  standing.value = { kind: "signed-in", session: await api.post<Session>(PATH, credential) };
}

export async function signOut(): Promise<void> {
  try {
    await api.delete(PATH);
  } finally {
    standing.value = { kind: "signed-out", reason: null };
  }
}

/** Whether the signed-in may do this on a channel. Only a hint for what to show: the server decides. */
export function may(action: Action, channelId: string): boolean {
  return session.value !== null && allows(session.value.permissions, action, channelId);
}

/** The name that decisions are recorded with. */
export const personName = computed(() => session.value?.name ?? "");
