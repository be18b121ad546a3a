/** Makes a key: what it is for, as a role on some runs, and for how long. */

import { useState } from "preact/hooks";
import { api } from "../../api/http";
import { session } from "../../session";
import { ActionDialog } from "../../ui/dialog";
import { permissionsOf, ROLES, type Role, readPatterns, refusalOfPatterns } from "./roles";
import type { MadeKey } from "./types";

const DAY = 86_400;
const EXPIRIES: [string, number | null][] = [
  ["in a day", DAY],
  ["in 30 days", 30 * DAY],
  ["in 90 days", 90 * DAY],
  ["in a year", 365 * DAY],
  ["never", null],
];

export function CreateDialog({ onMade, close }: { onMade: (made: MadeKey) => void; close: () => void }) {
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("worker");
  const [text, setText] = useState((session.value?.permissions.admin ?? ["*"]).join(" "));
  const [expiry, setExpiry] = useState(2);
  const patterns = readPatterns(text);
  const complaint = refusalOfPatterns(patterns);
  async function make(): Promise<void> {
    onMade(
      await api.post<MadeKey>("/api/v1/keys", {
        name: name.trim(),
        permissions: permissionsOf(role, patterns),
        expires_in_seconds: EXPIRIES[expiry]?.[1] ?? null,
      }),
    );
  }
  return (
    <ActionDialog
      title="A new API key"
      verb="Create"
      isReady={name.trim() !== "" && complaint === null}
      act={make}
      close={close}
    >
      <div class="field">
        <label for="key-name">Name</label>
        <input
          id="key-name"
          type="text"
          required
          value={name}
          placeholder="who or what uses it"
          autocomplete="off"
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <small>Decisions carry the name that is typed with them, which begins as this one.</small>
      </div>
      <fieldset>
        <legend>Role</legend>
        {ROLES.map(([it, title, words]) => (
          <label class="choice" key={it}>
            <input type="radio" name="role" checked={role === it} onChange={() => setRole(it)} />
            <span>{title}</span>
            <small>{words}</small>
          </label>
        ))}
      </fieldset>
      <div class="field">
        <label for="key-patterns">For which runs</label>
        <input
          id="key-patterns"
          type="text"
          class="mono"
          required
          value={text}
          aria-invalid={complaint !== null}
          aria-describedby="key-patterns-says"
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <small id="key-patterns-says" class={complaint === null ? "" : "complaint"}>
          {complaint ?? (
            <>
              <code>*</code> for all, <code>team-a.*</code> for those that begin so, or a run's whole id;
              several with spaces between
            </>
          )}
        </small>
      </div>
      <div class="field">
        <label for="key-expiry">Expires</label>
        <select
          id="key-expiry"
          value={expiry}
          onChange={(event) => setExpiry(Number(event.currentTarget.value))}
        >
          {EXPIRIES.map(([words], at) => (
            <option key={words} value={at}>
              {words}
            </option>
          ))}
        </select>
      </div>
    </ActionDialog>
  );
}
