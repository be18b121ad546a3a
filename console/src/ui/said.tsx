/** What an agent wrote, in its place: it turns no text around it, and nothing in it is hidden. */

import { piecesOf } from "./visible";

export function Said({ text }: { text: string }) {
  return (
    <span class="said">
      {piecesOf(text).map((it) => (it.isSpace ? <span class="spaces">{it.text}</span> : it.text))}
    </span>
  );
}
