/** A channel, live. The browser comes back by itself with the last cursor; here is where that stands. */

import { type Signal, signal } from "@preact/signals";
import { checkSession } from "../session";
import { parseWritten } from "./exact";
import { segment } from "./http";
import type { Event } from "./types";

export type Connection = "connecting" | "live" | "reconnecting";

export interface Following {
  connection: Signal<Connection>;
  stop: () => void;
}

// EventSource gives up when the server answers with an error, a restart among them; then we begin anew.
const RETRY_MS = 1_500;

/** Each event above the cursor, once and in order. */
export function follow(channelId: string, after: number, onEvent: (event: Event) => void): Following {
  const connection = signal<Connection>("connecting");
  let cursor = after;
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;

  function open(): void {
    source = new EventSource(`/api/v1/events/stream/${segment(channelId)}?cursor=${cursor}`);
    source.onopen = () => {
      connection.value = "live";
    };
    source.onmessage = (message) => {
      const event = parseWritten<Event>(message.data);
      if (event.cursor <= cursor) return;
      cursor = event.cursor;
      onEvent(event);
    };
    source.onerror = () => {
      if (stopped) return;
      connection.value = "reconnecting";
      // It may have been cut because somebody signed out elsewhere, or the key was revoked.
      void checkSession();
      if (source?.readyState === EventSource.CLOSED) {
        source.close();
        timer = setTimeout(open, RETRY_MS);
      }
    };
  }

  open();
  return {
    connection,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
      source?.close();
    },
  };
}
