import { useId } from "preact/hooks";
import { lossIn } from "../api/literal";
import { visible } from "./visible";

/** Why a text is no JSON that is kept as it is written, or null. */
export function jsonTrouble(text: string): string | null {
  try {
    JSON.parse(text);
  } catch (error) {
    return `This is no JSON yet (a text needs "quotes"): ${error instanceof Error ? error.message : String(error)}`;
  }
  return lossIn(text);
}

interface Props {
  label: string;
  hint: string;
  text: string;
  change: (text: string) => void;
}

/** A text area that says at once when its text is no JSON. */
export function JsonField({ label, hint, text, change }: Props) {
  const id = useId();
  const trouble = text.trim() === "" ? null : jsonTrouble(text);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        value={text}
        spellcheck={false}
        aria-invalid={trouble !== null}
        aria-describedby={`${id}-hint`}
        onInput={(event) => change(event.currentTarget.value)}
      />
      <small id={`${id}-hint`} aria-live="polite">
        {trouble === null ? hint : visible(trouble)}
      </small>
    </div>
  );
}
