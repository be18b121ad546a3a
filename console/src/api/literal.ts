/**
 * The members of a JSON object as they are written. JavaScript reads 12345678901234567890 as another number,
 * and a result that is recorded for good must not change on the way through a browser.
 */

/** The text of each member of an object, or of each item of a list under its place. Takes valid JSON. */
export function literalsOf(text: string): Map<string, string> {
  return new Map(membersOf(text));
}

/** As they stand: a name may come twice. */
function membersOf(text: string): [string, string][] {
  const found: [string, string][] = [];
  const reader = new Reader(text);
  const open = reader.next();
  if (open !== "{" && open !== "[") return found;
  for (let place = 0; !"}]".includes(reader.peek()); place += 1) {
    let name = String(place);
    if (open === "{") {
      name = JSON.parse(reader.value());
      reader.next(); // the colon
    }
    found.push([name, reader.value()]);
    if (reader.peek() === ",") reader.next();
  }
  return found;
}

/** What valid JSON says and no reader would keep, in a sentence, or null: a name that comes twice, an endless number. */
export function lossIn(text: string): string | null {
  const value = text.trim();
  if (value.startsWith("{") || value.startsWith("[")) {
    const names = new Set<string>();
    for (const [name, it] of membersOf(value)) {
      if (names.has(name))
        return `The name ${JSON.stringify(name)} is there twice, and only one of them would be kept.`;
      names.add(name);
      const loss = lossIn(it);
      if (loss !== null) return loss;
    }
    return null;
  }
  const isNumber = /^[-\d]/.test(value);
  return isNumber && !Number.isFinite(Number(value))
    ? `${value} is larger than any number that can be read.`
    : null;
}

/** One value inside another by the way to it, such as `execution`, `params`; undefined where there is none. */
export function literalAt(text: string, ...way: (string | number)[]): string | undefined {
  return way.reduce<string | undefined>(
    (at, name) => (at === undefined ? undefined : literalsOf(at).get(String(name))),
    text,
  );
}

/** An object of values that are texts of JSON already. */
export function literalObject(members: Record<string, string | undefined>): string {
  const written = Object.entries(members).filter(([, text]) => text !== undefined);
  return `{${written.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;
}

/** Indented, with every number as it was written. */
export function indented(text: string, indent = ""): string {
  const inner = `${indent}  `;
  const value = text.trim();
  const isList = value.startsWith("[");
  if (!isList && !value.startsWith("{")) return value;
  const members = [...literalsOf(value)].map(
    ([name, it]) => `${inner}${isList ? "" : `${JSON.stringify(name)}: `}${indented(it, inner)}`,
  );
  const [open, close] = isList ? "[]" : "{}";
  return members.length === 0 ? `${open}${close}` : `${open}\n${members.join(",\n")}\n${indent}${close}`;
}

/** Without the space between values, as programs write it. */
export function compacted(text: string): string {
  const value = text.trim();
  const isList = value.startsWith("[");
  if (!isList && !value.startsWith("{")) return value;
  const members = [...literalsOf(value)].map(
    ([name, it]) => `${isList ? "" : `${JSON.stringify(name)}:`}${compacted(it)}`,
  );
  return isList ? `[${members.join(",")}]` : `{${members.join(",")}}`;
}

const SPACE = " \t\n\r";

class Reader {
  private at = 0;

  constructor(private readonly text: string) {}

  peek(): string {
    while (SPACE.includes(this.text.charAt(this.at)) && this.at < this.text.length) this.at += 1;
    const here = this.text.charAt(this.at);
    if (here === "") throw new SyntaxError("The JSON ends too early.");
    return here;
  }

  next(): string {
    const here = this.peek();
    this.at += 1;
    return here;
  }

  /** The text of the value that begins here. */
  value(): string {
    this.peek();
    const begin = this.at;
    let depth = 0;
    do {
      const here = this.next();
      if (here === '"') this.endString();
      else if (here === "{" || here === "[") depth += 1;
      else if (here === "}" || here === "]") depth -= 1;
      else if (depth === 0) this.endWord();
    } while (depth > 0);
    return this.text.slice(begin, this.at);
  }

  private endString(): void {
    while (this.text.charAt(this.at) !== '"') {
      this.at += this.text.charAt(this.at) === "\\" ? 2 : 1;
      if (this.at >= this.text.length) throw new SyntaxError("A string has no end.");
    }
    this.at += 1;
  }

  private endWord(): void {
    while (this.at < this.text.length && !`${SPACE},:]}`.includes(this.text.charAt(this.at))) this.at += 1;
  }
}
