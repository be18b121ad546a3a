/** Who are you? With an API key, or as a user. The answer is kept in a cookie that no script can read. */

import { useState } from "preact/hooks";
import { type Credential, signIn } from "../session";
import { useTitle } from "../ui/title";
import { Trouble } from "../ui/trouble";

const DEV_KEY = "sk-dev-0000000000000000000000";
const ON_LOOPBACK = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);

export function SignIn({ reason }: { reason: string | null }) {
  useTitle("Sign in");
  const [way, setWay] = useState<"key" | "user">("key");
  const [error, setError] = useState<Error | null>(null);
  const [busy, setBusy] = useState(false);
  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(form.get(name) ?? "").trim();
    const credential: Credential =
      way === "key"
        ? { api_key: text("api_key") }
        : { email: text("email"), password: String(form.get("password")) };
    setBusy(true);
    setError(null);
    try {
      await signIn(credential);
    } catch (refusal) {
      setError(refusal as Error);
      setBusy(false);
    }
  }
  return (
    <main class="sign-in">
      <h1>
        <img src="/icon.svg" alt="" /> Actae
      </h1>
      {reason !== null && (
        <p class="notice" role="status">
          {reason}
        </p>
      )}
      <form onSubmit={(event) => void submit(event)}>
        <div class="tabs" role="tablist" aria-label="Sign in with">
          {(["key", "user"] as const).map((each) => (
            <button
              key={each}
              type="button"
              role="tab"
              class="plain"
              aria-selected={way === each}
              onClick={() => setWay(each)}
            >
              {each === "key" ? "API key" : "User"}
            </button>
          ))}
        </div>
        {way === "key" ? (
          <div class="field">
            <label for="api_key">API key</label>
            <input
              id="api_key"
              name="api_key"
              type="password"
              required
              autocomplete="off"
              spellcheck={false}
              autofocus
            />
            {ON_LOOPBACK && (
              <small>
                On a development server: <code>{DEV_KEY}</code>
              </small>
            )}
          </div>
        ) : (
          <>
            <div class="field">
              <label for="email">Email</label>
              <input id="email" name="email" type="email" required autocomplete="username" autofocus />
            </div>
            <div class="field">
              <label for="password">Password</label>
              <input id="password" name="password" type="password" required autocomplete="current-password" />
            </div>
          </>
        )}
        {error !== null && <Trouble error={error} />}
        <button type="submit" class="primary" disabled={busy}>
          Sign in
        </button>
      </form>
    </main>
  );
}
