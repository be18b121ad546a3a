/** Names for writes, so that a repetition after a lost reply is the same write. */

import { useRef } from "preact/hooks";

/** 128 random bits. `crypto.randomUUID` is missing on pages that are neither https nor loopback. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** An id for what is about to be sent: the same as long as that is the same. */
export function useOperationId(): (content: string) => string {
  const last = useRef({ content: "", id: "" });
  return (content) => {
    if (last.current.content !== content) last.current = { content, id: `console-${newId()}` };
    return last.current.id;
  };
}
