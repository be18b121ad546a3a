/** The part of a log that is loaded: one stretch without a gap, which grows at both ends and follows the head. */

import { type Signal, signal } from "@preact/signals";
import { api, segment } from "../../api/http";
import { type Connection, follow } from "../../api/stream";
import type { Event } from "../../api/types";

const PAGE = 500;
const FIRST_PAGE = 200;
const BEFORE_THE_WANTED = 50;

export class LogWindow {
  readonly events = signal<Event[]>([]);
  readonly head = signal(0);
  readonly connection = signal<Connection>("connecting");
  readonly error = signal<Error | null>(null);
  readonly isLoading = signal(true);

  private stopFollowing: (() => void) | null = null;
  private stopped = false;
  private readonly listeners = new Set<(event: Event) => void>();

  constructor(private readonly channelId: string) {}

  /** Load what surrounds a cursor, or the end of the log; then follow. */
  async open(wanted: number | null): Promise<void> {
    await this.doing(async () => {
      const { latest_cursor: head } = await api.get<{ latest_cursor: number | null }>(
        `/api/v1/events/cursor/${segment(this.channelId)}`,
      );
      this.head.value = head ?? 0;
      const fromEnd = Math.max(0, this.head.value - FIRST_PAGE);
      const from = wanted === null ? fromEnd : Math.min(fromEnd, Math.max(0, wanted - BEFORE_THE_WANTED));
      this.events.value = await this.read(from, Math.min(this.head.value, from + FIRST_PAGE));
    });
    this.followIfAtHead();
  }

  get first(): number {
    return this.events.value[0]?.cursor ?? this.head.value + 1;
  }

  get last(): number {
    return this.events.value.at(-1)?.cursor ?? 0;
  }

  get hasEarlier(): boolean {
    return this.first > 1;
  }

  get hasLater(): boolean {
    return this.last < this.head.value;
  }

  async earlier(): Promise<void> {
    const before = this.first;
    await this.doing(async () => {
      const found = await this.read(Math.max(0, before - 1 - PAGE), before - 1);
      this.events.value = [...found, ...this.events.value];
    });
  }

  async later(): Promise<void> {
    await this.doing(async () => {
      const found = await this.read(this.last, Math.min(this.head.value, this.last + PAGE));
      this.events.value = [...this.events.value, ...found];
    });
    this.followIfAtHead();
  }

  /** Each event that arrives while we follow. */
  onArrival(listener: (event: Event) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  stop(): void {
    this.stopped = true;
    this.stopFollowing?.();
  }

  /** Events above `after` up to `until`; a page of large ones may end early, so there may be several. */
  private async read(after: number, until: number): Promise<Event[]> {
    const found: Event[] = [];
    let cursor = after;
    while (cursor < until && !this.stopped) {
      const { events } = await api.getWritten<{ events: Event[] }>(
        `/api/v1/events/replay/${segment(this.channelId)}`,
        {
          cursor,
          limit: until - cursor,
        },
      );
      if (events.length === 0) break;
      found.push(...events);
      cursor = events.at(-1)?.cursor ?? until;
    }
    return found;
  }

  private followIfAtHead(): void {
    if (this.stopFollowing !== null || this.stopped || this.error.value !== null || this.hasLater) return;
    let waiting: Event[] = [];
    // A burst is one change of the page, not one for each event.
    const flush = () => {
      this.events.value = [...this.events.value, ...waiting];
      waiting = [];
    };
    const following = follow(this.channelId, this.last, (event) => {
      if (waiting.length === 0) requestAnimationFrame(flush);
      waiting.push(event);
      this.head.value = Math.max(this.head.value, event.cursor);
      for (const listener of this.listeners) listener(event);
    });
    const unsubscribe = mirror(following.connection, this.connection);
    this.stopFollowing = () => {
      unsubscribe();
      following.stop();
    };
  }

  private async doing(work: () => Promise<void>): Promise<void> {
    this.isLoading.value = true;
    try {
      await work();
      this.error.value = null;
    } catch (error) {
      this.error.value = error as Error;
    } finally {
      this.isLoading.value = false;
    }
  }
}

function mirror<T>(from: Signal<T>, to: Signal<T>): () => void {
  return from.subscribe((value) => {
    to.value = value;
  });
}
