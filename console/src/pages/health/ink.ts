/** Colours of the tokens as a canvas needs them: resolved, and again when the scheme changes. */

import { useEffect } from "preact/hooks";

let probe: HTMLElement | null = null;

/** The colour of a token now, such as `--accent`. A custom property itself would still say `light-dark(…)`. */
export function inkOf(token: string): string {
  if (probe === null) {
    probe = document.createElement("span");
    probe.hidden = true;
    document.body.append(probe);
  }
  probe.style.color = `var(${token})`;
  return getComputedStyle(probe).color;
}

/** Calls back when light becomes dark, by the system or by the switch. */
export function useSchemeChange(onChange: () => void): void {
  useEffect(() => {
    const system = matchMedia("(prefers-color-scheme: dark)");
    const watcher = new MutationObserver(onChange);
    watcher.observe(document.documentElement, { attributes: true, attributeFilter: ["data-scheme"] });
    system.addEventListener("change", onChange);
    return () => {
      watcher.disconnect();
      system.removeEventListener("change", onChange);
    };
  }, [onChange]);
}
