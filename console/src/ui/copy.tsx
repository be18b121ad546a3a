import { useState } from "preact/hooks";
import { visible } from "./visible";

/** Puts a text on the clipboard and says so. */
export function CopyButton({ text, what }: { text: () => string; what: string }) {
  const [told, setTold] = useState("");
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text());
      setTold("Copied");
    } catch {
      setTold("Not allowed"); // a page that is not served over https or from loopback
    }
    setTimeout(() => setTold(""), 2_000);
  }
  return (
    <button type="button" class="plain" aria-label={`Copy ${visible(what)}`} onClick={() => void copy()}>
      <span aria-live="polite">{told || "Copy"}</span>
    </button>
  );
}
