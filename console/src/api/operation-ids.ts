/** Names for writes, so that a repetition is the same write. */

/** 128 random bits. Pages that are not served over https have no `randomUUID`. */
export function newOperationId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `console-${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** One id for as long as the same is asked, another as soon as something else is. */
export class OperationIds {
  private asked: string | null = null;
  private id = "";

  for(body: unknown): string {
    const text = JSON.stringify(body);
    if (text !== this.asked) {
      this.asked = text;
      this.id = newOperationId();
    }
    return this.id;
  }
}
