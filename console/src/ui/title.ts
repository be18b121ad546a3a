import { useEffect } from "preact/hooks";
import { visible } from "./visible";

/** The name of the page, for the tab, the history and screen readers. */
export function useTitle(name: string): void {
  useEffect(() => {
    document.title = `${visible(name)} · Actae`;
  }, [name]);
}
