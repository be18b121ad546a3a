/**
 * j and k, or the arrows, go from row to row; Enter follows the link that has the focus, and whoever comes
 * back from there is on the same row again.
 */

import { useEffect } from "preact/hooks";

const ROWS = "[data-row]";
// A slow server is waited for, but not for ever: by then somebody is elsewhere with their eyes.
const WAIT_MS = 10_000;

/** Of each page, by its address, the row that was followed last. */
const followed = new Map<string, string>();
let cameBack = false;

const here = () => location.pathname + location.search;

addEventListener("popstate", () => {
  cameBack = true;
});
addEventListener("submit", () => {
  cameBack = false;
});
// Before the router hears of it: the page is still the one where the row is.
addEventListener(
  "click",
  (event) => {
    cameBack = false;
    const row = (event.target as Element | null)?.closest?.<HTMLElement>(`a${ROWS}`);
    const address = row?.getAttribute("href");
    if (address) followed.set(here(), address);
  },
  { capture: true },
);

export function useRowKeys(): void {
  useEffect(() => {
    document.addEventListener("keydown", onKey);
    const address = cameBack ? followed.get(here()) : undefined;
    cameBack = false;
    const forget = address === undefined ? undefined : focusWhenThere(address);
    return () => {
      document.removeEventListener("keydown", onKey);
      forget?.();
    };
  }, []);
}

/** From the search field to the first result, if what is found is still what stands in the field. */
export function leaveSearchField(wanted: string): void {
  const field = document.activeElement;
  if (!(field instanceof HTMLInputElement) || field.type !== "search" || field.value.trim() !== wanted)
    return;
  goTo(rows()[0]);
}

function onKey(event: KeyboardEvent): void {
  const at = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const all = rows();
  const next = at.matches("input, textarea, select")
    ? at.matches('input[type="search"]') && event.key === "ArrowDown" && !event.isComposing
      ? all[0]
      : undefined
    : all[rowAfter(event.key, all.indexOf(at), all.length)];
  if (next === undefined) return;
  event.preventDefault();
  goTo(next);
}

/** Which row a key leads to; -1 where it leads to none, and for where one is when that is no row. */
export function rowAfter(key: string, at: number, length: number): number {
  const isOnRow = at !== -1;
  const isDown = key === "j" || (isOnRow && key === "ArrowDown");
  const isUp = key === "k" || (isOnRow && key === "ArrowUp");
  if (!isDown && !isUp) return -1;
  if (!isOnRow) return 0;
  return Math.min(length - 1, Math.max(0, at + (isDown ? 1 : -1)));
}

function rows(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(ROWS)];
}

function goTo(row: HTMLElement | undefined): void {
  row?.focus();
  row?.scrollIntoView({ block: "nearest" });
}

/** The rows come when the server has answered; who has gone on with something else meanwhile is left there. */
function focusWhenThere(address: string): () => void {
  const watcher = new MutationObserver(look);
  const timer = setTimeout(stop, WAIT_MS);
  const gestures = ["keydown", "pointerdown"] as const;

  function stop(): void {
    watcher.disconnect();
    clearTimeout(timer);
    for (const it of gestures) removeEventListener(it, stop);
  }

  function look(): void {
    const row = rows().find((it) => it.getAttribute("href") === address);
    if (row === undefined) return;
    stop();
    goTo(row);
  }

  for (const it of gestures) addEventListener(it, stop);
  watcher.observe(document.body, { childList: true, subtree: true });
  look();
  return stop;
}
