/** The API keys that the signed-in may look after. */

import { useState } from "preact/hooks";
import { api, segment } from "../../api/http";
import { usePages } from "../../api/pages";
import { allowsSome } from "../../api/permissions";
import { session } from "../../session";
import { CopyButton } from "../../ui/copy";
import { ActionDialog } from "../../ui/dialog";
import { ListEnd } from "../../ui/more";
import { Said } from "../../ui/said";
import { Status } from "../../ui/status";
import { Ago, useNow } from "../../ui/time";
import { useTitle } from "../../ui/title";
import { visible } from "../../ui/visible";
import { CreateDialog } from "./create-dialog";
import { keyStanding, tellPermissions } from "./roles";
import type { ApiKey, KeysReply, MadeKey } from "./types";
import "./keys.css";

export function Keys() {
  useTitle("Keys");
  if (session.value !== null && allowsSome(session.value.permissions, "admin")) return <KeyList />;
  return (
    <>
      <div class="page-head">
        <h1>Keys</h1>
      </div>
      <p class="notice warn">This key may not look after keys: that takes permission to administer runs.</p>
    </>
  );
}

function KeyList() {
  const keys = usePages<ApiKey>({
    load: async (after, signal) => {
      const reply = await api.get<KeysReply>("/api/v1/keys", { limit: 50, after }, signal);
      const last = reply.keys.at(-1)?.key_id ?? null;
      return { items: reply.keys, next: reply.next ?? (reply.has_more ? last : null) };
    },
    id: (it) => it.key_id,
    inputs: [],
  });
  const [isCreating, setCreating] = useState(false);
  const [made, setMade] = useState<MadeKey | null>(null);
  const [revoking, revoke] = useState<ApiKey | null>(null);
  const now = useNow();
  return (
    <>
      <div class="page-head">
        <h1>Keys</h1>
        <span class="actions">
          <button type="button" class="primary" onClick={() => setCreating(true)}>
            Create a key
          </button>
        </span>
      </div>
      {made !== null && <Secret made={made} forget={() => setMade(null)} />}
      {keys.items.length > 0 && (
        <table class="stacked keys">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Status</th>
              <th scope="col">May</th>
              <th scope="col">Created</th>
              <th scope="col">Ends</th>
              <th scope="col">
                <span class="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {keys.items.map((it) => (
              <KeyRow key={it.key_id} of={it} now={now} revoke={() => revoke(it)} />
            ))}
          </tbody>
        </table>
      )}
      <ListEnd pages={keys} none="There is no key that you may look after." />
      {isCreating && (
        <CreateDialog
          onMade={(it) => {
            setMade(it);
            keys.reload();
          }}
          close={() => setCreating(false)}
        />
      )}
      {revoking !== null && (
        <RevokeDialog
          of={revoking}
          onRevoked={() => {
            if (made?.key.key_id === revoking.key_id) setMade(null);
            keys.reload();
          }}
          close={() => revoke(null)}
        />
      )}
    </>
  );
}

function KeyRow({ of, now, revoke }: { of: ApiKey; now: number; revoke: () => void }) {
  const standing = keyStanding(of, now);
  return (
    <tr class={standing === "valid" ? "" : "ended"}>
      <td>
        <strong>
          <Said text={of.name} />
        </strong>
        <div class="quiet mono">{of.key_id}</div>
      </td>
      <td data-label="Status">
        <Status of={standing === "valid" ? "completed" : standing === "expired" ? "expired" : "cancelled"}>
          {standing}
        </Status>
      </td>
      <td data-label="May">
        <Granted of={of} />
      </td>
      <td data-label="Created">
        <Ago at={of.created_at} />
      </td>
      <td data-label="Ends">
        {of.revoked_at !== null ? (
          <>
            revoked <Ago at={of.revoked_at} />
          </>
        ) : of.expires_at !== null ? (
          <Ago at={of.expires_at} />
        ) : (
          "never"
        )}
      </td>
      <td class="key-actions">
        {of.revoked_at === null && (
          <button type="button" class="danger" aria-label={`Revoke ${visible(of.name)}`} onClick={revoke}>
            Revoke
          </button>
        )}
      </td>
    </tr>
  );
}

function Granted({ of }: { of: ApiKey }) {
  const told = tellPermissions(of.permissions);
  if (told.length === 0) return <span class="quiet">nothing</span>;
  return (
    <ul class="granted">
      {told.map(({ what, patterns }) => (
        <li key={what}>
          {what}{" "}
          {patterns.map((it) => (
            <code key={it}>{it}</code>
          ))}
        </li>
      ))}
    </ul>
  );
}

/** The secret, the only time it is told. */
function Secret({ made, forget }: { made: MadeKey; forget: () => void }) {
  return (
    <section class="notice secret" role="status" aria-label={`The key ${visible(made.key.name)}`}>
      <p>
        <strong>
          <Said text={made.key.name} />
        </strong>{" "}
        is created. This is its secret; <strong>it is not shown again</strong>, so put it where it is used
        now.
      </p>
      <p class="secret-line">
        <code>{made.api_key}</code> <CopyButton text={() => made.api_key} what="the key" />
      </p>
      <button type="button" onClick={forget}>
        I have it
      </button>
    </section>
  );
}

interface RevokeProps {
  of: ApiKey;
  onRevoked: () => void;
  close: () => void;
}

function RevokeDialog({ of, onRevoked, close }: RevokeProps) {
  async function revoke(): Promise<void> {
    await api.delete(`/api/v1/keys/${segment(of.key_id)}`);
    onRevoked();
  }
  return (
    <ActionDialog title={`Revoke ${of.name}?`} verb="Revoke" isDangerous act={revoke} close={close}>
      <p>
        <code>{of.key_id}</code> is refused from now on: whoever works with it is signed out, and its workers
        fail at their next call. This cannot be taken back; what it recorded stays.
      </p>
      <div class="granted-in-dialog">
        <Granted of={of} />
      </div>
    </ActionDialog>
  );
}
