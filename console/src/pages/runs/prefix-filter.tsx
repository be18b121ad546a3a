import { useEffect, useRef, useState } from "preact/hooks";

const SETTLE_MS = 250;

interface Props {
  /** What is looked for at present. */
  prefix: string;
  search: (prefix: string) => void;
}

/** Looks as one types, as soon as one pauses. */
export function PrefixFilter({ prefix, search }: Props) {
  const [text, setText] = useState(prefix);
  const sent = useRef(prefix);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const wanted = useRef(text);
  wanted.current = text;

  // One that came by a link, or by going back, stands in the field, too.
  useEffect(() => {
    if (prefix !== sent.current) setText(prefix);
    sent.current = prefix;
  }, [prefix]);
  useEffect(() => () => clearTimeout(timer.current), []);

  function look(): void {
    clearTimeout(timer.current);
    const next = wanted.current.trim();
    if (next === sent.current) return;
    sent.current = next;
    search(next);
  }

  return (
    <form
      class="actions"
      onSubmit={(event) => {
        event.preventDefault();
        look();
      }}
    >
      <input
        type="search"
        name="prefix"
        value={text}
        placeholder="begins with…"
        aria-label="Runs whose id begins with"
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => {
          setText(event.currentTarget.value);
          clearTimeout(timer.current);
          timer.current = setTimeout(look, SETTLE_MS);
        }}
      />
    </form>
  );
}
