/** j and k, or the arrows, go from row to row; Enter follows the link that has the focus. */

import { useEffect } from "preact/hooks";

const ROWS = "[data-row]";

export function useRowKeys(): void {
  useEffect(() => {
    function onKey(event: KeyboardEvent): void {
      const at = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey || at.matches("input, textarea, select")) return;
      const isOnRow = at.matches(ROWS);
      const step =
        event.key === "j" || (isOnRow && event.key === "ArrowDown")
          ? 1
          : event.key === "k" || (isOnRow && event.key === "ArrowUp")
            ? -1
            : 0;
      if (step === 0 || document.querySelector("dialog[open]")) return;
      const rows = [...document.querySelectorAll<HTMLElement>(ROWS)];
      const here = rows.indexOf(at);
      const next = rows[here === -1 ? 0 : Math.min(rows.length - 1, Math.max(0, here + step))];
      if (next === undefined) return;
      event.preventDefault();
      next.focus();
      next.scrollIntoView({ block: "nearest" });
    }
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}
