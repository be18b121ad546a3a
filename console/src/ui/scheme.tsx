/** Light, dark, or as the system has it. */

import { signal } from "@preact/signals";

type Scheme = "auto" | "light" | "dark";
const NEXT: Record<Scheme, Scheme> = { auto: "light", light: "dark", dark: "auto" };
const NAME = "actae-scheme";

function remembered(): Scheme {
  const told = localStorage.getItem(NAME);
  return told === "light" || told === "dark" ? told : "auto";
}

const scheme = signal<Scheme>(remembered());
document.documentElement.dataset.scheme = scheme.value;

export function SchemeSwitch() {
  return (
    <button
      type="button"
      class="plain"
      aria-label={`Colours: ${scheme.value}. Change.`}
      onClick={() => {
        scheme.value = NEXT[scheme.value];
        localStorage.setItem(NAME, scheme.value);
        document.documentElement.dataset.scheme = scheme.value;
      }}
    >
      {scheme.value === "auto" ? "Auto" : scheme.value === "light" ? "Light" : "Dark"}
    </button>
  );
}
