const CHARACTERS = /^[A-Za-z0-9._:-]{1,256}$/;

/** Whether an id of a run can begin so; the server refuses to look for anything else. */
export function mayBeginChannelId(text: string): boolean {
  return CHARACTERS.test(text);
}
