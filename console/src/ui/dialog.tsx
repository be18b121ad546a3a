/** Asks once before something is done, and shows what the server said to it. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Trouble } from "./trouble";

interface Props {
  title: string;
  /** The word on the button that does it, such as `Resolve`. */
  verb: string;
  isDangerous?: boolean;
  /** False while the form is not complete. */
  isReady?: boolean;
  act: () => Promise<void>;
  close: () => void;
  children: ComponentChildren;
}

/** A modal form. It closes when `act` is done, and stays with the error when it is refused. */
export function ActionDialog({ title, verb, isDangerous, isReady = true, act, close, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  useEffect(() => {
    const opener = document.activeElement as HTMLElement | null;
    const shown = dialog.current;
    shown?.showModal();
    // Back to where one was, unless what was done has led elsewhere, or has taken away what opened it.
    return () => {
      const at = document.activeElement;
      if (at !== null && at !== document.body && !shown?.contains(at)) return;
      (opener?.isConnected ? opener : document.getElementById("main"))?.focus();
    };
  }, []);
  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (busy || !isReady) return;
    setBusy(true);
    setError(null);
    try {
      await act();
      close();
    } catch (refusal) {
      setError(refusal as Error);
      setBusy(false);
    }
  }
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby="dialog-title">
      <form method="dialog" onSubmit={(event) => void submit(event)}>
        <h2 id="dialog-title">{title}</h2>
        {children}
        {error !== null && <Trouble error={error} />}
        <div class="buttons">
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class={isDangerous ? "danger" : "primary"} disabled={busy || !isReady}>
            {busy ? "…" : verb}
          </button>
        </div>
      </form>
    </dialog>
  );
}
