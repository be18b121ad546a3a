import { useId } from "preact/hooks";

/** Why a text is no JSON, or null. */
export function jsonTrouble(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
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
        {trouble === null ? hint : `This is no JSON yet: ${trouble}`}
      </small>
    </div>
  );
}
