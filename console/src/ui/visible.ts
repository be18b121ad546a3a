/**
 * What agents wrote, so that nobody reads something else than is on record: an unseen character turns the text
 * around it, or makes two keys look alike. For display alone; what is copied or sent stays as it is.
 */

// Controls, and what turns, joins or hides; spaces that look like the space; halves of characters.
const UNSEEN =
  /(?<!\p{Extended_Pictographic})\ufe0f|(?!\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?![ \u3000])\p{Zs}/gu;
const SHORT: Record<string, string> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** `\u202e` in place of what does not show. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (it) => SHORT[it] ?? escaped(it));
}

/** The same for a text whose lines are meant. */
export function visibleLines(text: string): string {
  return text.split("\n").map(visible).join("\n");
}

function escaped(it: string): string {
  return it
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

export interface Piece {
  text: string;
  /** Spaces that the eye passes over: at an end, or more than one. */
  isSpace: boolean;
}

export function piecesOf(text: string): Piece[] {
  return visible(text)
    .split(/(^ +| +$| {2,})/)
    .map((it, at) => ({ text: it, isSpace: at % 2 === 1 }))
    .filter((it) => it.text !== "");
}
