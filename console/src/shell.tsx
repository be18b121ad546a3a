/** The frame around every page: where one is, how to find something, who is signed in. */

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso";
import { allowsSome } from "./api/permissions";
import { openQuestions, useOpenQuestions } from "./open-questions";
import { session, signOut } from "./session";
import { leaveSearchField } from "./ui/row-keys";
import { Said } from "./ui/said";
import { SchemeSwitch } from "./ui/scheme";
import { visible } from "./ui/visible";

interface Place {
  path: string;
  name: string;
  count?: () => number;
}

const PLACES: Place[] = [
  { path: "/runs", name: "Runs" },
  { path: "/ledger", name: "Ledger", count: () => openQuestions.value.unresolved },
  { path: "/approvals", name: "Approvals", count: () => openQuestions.value.approvals },
  { path: "/compare", name: "Compare" },
  { path: "/health", name: "Health" },
];
const KEYS: Place = { path: "/keys", name: "Keys" };

export function Shell({ children }: { children: ComponentChildren }) {
  const { path, route, query } = useLocation();
  const box = useRef<HTMLInputElement>(null);
  useOpenQuestions();
  // Before the page is painted: whoever sees it may press the key.
  useLayoutEffect(() => {
    function onKey(event: KeyboardEvent): void {
      const at = event.target as HTMLElement;
      if (event.key === "/" && !at.matches("input, textarea, select") && !event.ctrlKey && !event.metaKey) {
        event.preventDefault();
        box.current?.focus();
      }
    }
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  const who = session.value;
  if (who === null) return null;
  const places = allowsSome(who.permissions, "admin") ? [...PLACES, KEYS] : PLACES;
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header>
        <a class="brand" href="/runs">
          <img src="/icon.svg" alt="" />
          Actae
        </a>
        <search>
          <form
            class="find"
            onSubmit={(event) => {
              event.preventDefault();
              const wanted = box.current?.value.trim();
              if (!wanted) return;
              if (path === "/find" && wanted === query.q) leaveSearchField(wanted);
              else route(`/find?q=${encodeURIComponent(wanted)}`);
            }}
          >
            <input
              ref={box}
              type="search"
              name="q"
              aria-label="Find a run or an operation"
              placeholder="Find: run, key, tool, or field=value   ( / )"
              value={path === "/find" ? (query.q ?? "") : ""}
              autocomplete="off"
              spellcheck={false}
            />
          </form>
        </search>
        <div class="who">
          <SchemeSwitch />
          <span class="name" title={visible(`${who.kind}: ${who.name}`)}>
            <Said text={who.name} />
          </span>
          <button type="button" onClick={() => void signOut()}>
            Sign out
          </button>
        </div>
      </header>
      <nav aria-label="Pages">
        <ul>
          {places.map((it) => (
            <PlaceLink key={it.path} place={it} path={path} />
          ))}
        </ul>
      </nav>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

function PlaceLink({ place, path }: { place: Place; path: string }) {
  const count = place.count?.() ?? 0;
  const isHere = path.startsWith(place.path) || (path === "/" && place.path === "/runs");
  const link = useRef<HTMLAnchorElement>(null);
  const { unresolved, approvals } = openQuestions.value;
  // On a narrow screen the places are a line that is longer than the screen; its numbers push what follows them.
  useEffect(() => {
    const line = link.current?.closest("nav");
    if (!isHere || !line || !link.current) return;
    const { offsetLeft, offsetWidth } = link.current;
    line.scrollLeft = offsetLeft - line.offsetLeft - (line.clientWidth - offsetWidth) / 2;
  }, [isHere, unresolved, approvals]);
  return (
    <li>
      <a ref={link} href={place.path} aria-current={isHere ? "page" : undefined}>
        {place.name}
        {count > 0 && (
          <span class="count">
            {count > 99 ? "99+" : count}
            <span class="visually-hidden"> open</span>
          </span>
        )}
      </a>
    </li>
  );
}
