/** A list that goes on: pages by `after`, the first one refreshed while somebody looks. */

import { useCallback, useEffect, useRef, useState } from "preact/hooks";

export interface Page<T> {
  items: T[];
  next: string | null;
}

export interface Pages<T> {
  items: T[];
  error: Error | null;
  loading: boolean;
  hasMore: boolean;
  more: () => void;
  reload: () => void;
}

interface Options<T> {
  load: (after: string | null, signal: AbortSignal) => Promise<Page<T>>;
  /** What names an item: one that comes again, changed, goes to where it comes now. */
  id: (item: T) => string;
  inputs: unknown[];
  refreshMs?: number;
}

/**
 * What is shown after the first page was read again. With no other page loaded, that page is all there is;
 * else what comes after its last item stays, and what it should hold and does not is gone.
 */
export function refreshed<T>(before: T[], page: T[], isOnlyPage: boolean, id: (item: T) => string): T[] {
  const last = page.at(-1);
  if (isOnlyPage || last === undefined) return page;
  const fresh = new Set(page.map(id));
  const place = before.findIndex((it) => id(it) === id(last));
  return [...page, ...before.slice(place + 1).filter((it) => !fresh.has(id(it)))];
}

// A search may look far and find little: go on by ourselves, within reason, before asking the person.
const EMPTY_PAGES_MAX = 5;

export function usePages<T>({ load, id, inputs, refreshMs }: Options<T>): Pages<T> {
  const [items, setItems] = useState<T[]>([]);
  const [next, setNext] = useState<string | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [loading, setLoading] = useState(true);
  const aborter = useRef(new AbortController());
  const hasOnlyFirst = useRef(true);
  const underWay = useRef<AbortSignal | null>(null);
  const about = JSON.stringify(inputs);

  const fetchPages = useCallback(
    async (after: string | null, signal: AbortSignal): Promise<Page<T>> => {
      const found: T[] = [];
      let place = after;
      for (let turn = 0; turn < EMPTY_PAGES_MAX; turn += 1) {
        const page = await load(place, signal);
        found.push(...page.items);
        place = page.next;
        if (found.length > 0 || place === null) break;
      }
      return { items: found, next: place };
    },
    [about],
  );

  const begin = useCallback(
    (keepsOld: boolean) => {
      const signal = aborter.current.signal;
      // A slow server is asked less often, not twice at once.
      if (keepsOld && underWay.current === signal) return;
      underWay.current = signal;
      if (!keepsOld) setLoading(true);
      fetchPages(null, signal).then(
        (page) => {
          if (signal.aborted) return;
          underWay.current = null;
          if (!keepsOld) hasOnlyFirst.current = true;
          const isOnlyPage = hasOnlyFirst.current || page.next === null;
          setItems((before) => refreshed(before, page.items, isOnlyPage, id));
          if (isOnlyPage) setNext(page.next);
          setError(null);
          setLoading(false);
        },
        (trouble: Error) => {
          if (signal.aborted) return;
          underWay.current = null;
          setError(trouble);
          setLoading(false);
        },
      );
    },
    [fetchPages],
  );

  useEffect(() => {
    aborter.current = new AbortController();
    setItems([]);
    setNext(null);
    begin(false);
    const timer =
      refreshMs === undefined ? undefined : setInterval(() => document.hidden || begin(true), refreshMs);
    return () => {
      clearInterval(timer);
      aborter.current.abort();
    };
  }, [begin, refreshMs]);

  const more = useCallback(() => {
    const signal = aborter.current.signal;
    setLoading(true);
    fetchPages(next, signal).then(
      (page) => {
        if (signal.aborted) return;
        setItems((before) => {
          const known = new Set(before.map(id));
          return [...before, ...page.items.filter((it) => !known.has(id(it)))];
        });
        hasOnlyFirst.current = false;
        setNext(page.next);
        setLoading(false);
      },
      (trouble: Error) => {
        if (signal.aborted) return;
        setError(trouble);
        setLoading(false);
      },
    );
  }, [fetchPages, next]);

  return { items, error, loading, hasMore: next !== null, more, reload: () => begin(false) };
}
