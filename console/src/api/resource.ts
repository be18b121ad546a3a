/** What a page reads: loaded when its inputs change, loaded again on demand, never shown half. */

import { useCallback, useEffect, useRef, useState } from "preact/hooks";

export interface Resource<T> {
  data: T | null;
  error: Error | null;
  loading: boolean;
  /** Load again; what is shown stays until the answer is there. */
  reload: () => void;
}

/** `load` gets a signal that ends it as soon as nobody wants the answer any more. */
export function useResource<T>(load: (signal: AbortSignal) => Promise<T>, inputs: unknown[]): Resource<T> {
  const [state, setState] = useState<Omit<Resource<T>, "reload">>({ data: null, error: null, loading: true });
  const [turn, setTurn] = useState(0);
  const shown = useRef<string | null>(null);
  const about = JSON.stringify(inputs);
  useEffect(() => {
    const aborter = new AbortController();
    const isSame = shown.current === about;
    shown.current = about;
    setState((before) =>
      isSame ? { ...before, loading: true } : { data: null, error: null, loading: true },
    );
    load(aborter.signal).then(
      (data) => aborter.signal.aborted || setState({ data, error: null, loading: false }),
      (error: Error) =>
        aborter.signal.aborted || setState((before) => ({ data: before.data, error, loading: false })),
    );
    return () => aborter.abort();
  }, [about, turn]);
  const reload = useCallback(() => setTurn((before) => before + 1), []);
  return { ...state, reload };
}
