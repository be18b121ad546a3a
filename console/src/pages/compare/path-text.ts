const PLAIN = /^[\w$-]+$/;

/** A path as text; names that would be misread are in quotes. */
export function pathText(path: string[]): string {
  if (path.length === 0) return "(whole)";
  return path.map((it) => (PLAIN.test(it) ? it : JSON.stringify(it))).join(".");
}
