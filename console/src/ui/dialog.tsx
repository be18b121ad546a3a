/** Asks once before something is done, and shows what the server said to it. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { RefusedForGood } from "../api/http";
import { Said } from "./said";
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

/** A modal form. It closes when `act` is done, and stays with the error when it is refused; for good, only to be read. */
export function ActionDialog({ title, verb, isDangerous, isReady = true, act, close, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const closer = useRef<HTMLButtonElement>(null);
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
  // What is typed goes where words are asked for, not to a button that copies; what stands above it stays in view.
  useEffect(() => {
    const field = dialog.current?.querySelector<HTMLElement>(":is(input, select, textarea):not([disabled])");
    (field ?? heading.current)?.focus({ preventScroll: true });
  }, []);
  const isOver = error instanceof RefusedForGood;
  useEffect(() => {
    if (isOver) closer.current?.focus();
  }, [isOver]);
  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (busy || !isReady || isOver) return;
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
        <h2 id="dialog-title" ref={heading} tabIndex={-1}>
          <Said text={title} />
        </h2>
        {children}
        {error !== null && <Trouble error={error} />}
        <div class="buttons">
          <button type="button" ref={closer} onClick={close}>
            {isOver ? "Close" : "Cancel"}
          </button>
          {!isOver && (
            <button type="submit" class={isDangerous ? "danger" : "primary"} disabled={busy || !isReady}>
              {busy ? "…" : verb}
            </button>
          )}
        </div>
      </form>
    </dialog>
  );
}
