/**
 * JSON without loss. JavaScript reads 12345678901234567890 as 12345678901234567000, and whoever looks at a
 * charge has to see the number that is on record. Browsers before 2025 cannot tell, and show the near one.
 */

/** A number that a double would show otherwise; it shows and writes itself as it was sent. */
export class ExactNumber {
  constructor(readonly text: string) {}

  toString(): string {
    return this.text;
  }

  toJSON(): unknown {
    const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown };
    return rawJSON === undefined ? Number(this.text) : rawJSON(this.text);
  }
}

const MAY_BE_TOO_LONG = /\d{16}/;
const DIGITS_KEPT = 15;

export function parseJson<T>(text: string): T {
  return MAY_BE_TOO_LONG.test(text) ? JSON.parse(text, keepExact) : JSON.parse(text);
}

export function keepExact(_name: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== "number" || source === undefined || String(value) === source) return value;
  const digits = source.replace(/[eE].*/, "").replace(/\D/g, "");
  return digits.length > DIGITS_KEPT ? new ExactNumber(source) : value;
}

/** For what agents wrote: `1.0` is no `1`, and 1e999 no Infinity. The envelope around it has whole numbers alone. */
export function parseWritten<T>(text: string): T {
  return JSON.parse(text, keepWritten);
}

export function keepWritten(_name: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== "number" || source === undefined || String(value) === source) return value;
  return new ExactNumber(source);
}

/** Whether a value of JSON is an object or a list. */
export function isBranch<T>(value: T): value is T & object {
  return value !== null && typeof value === "object" && !(value instanceof ExactNumber);
}
