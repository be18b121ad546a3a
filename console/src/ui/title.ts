import { useEffect } from "preact/hooks";

/** The name of the page, for the tab, the history and screen readers. */
export function useTitle(name: string): void {
  useEffect(() => {
    document.title = `${name} · Actae`;
  }, [name]);
}
