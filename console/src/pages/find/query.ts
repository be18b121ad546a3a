/** What to ask the ledger: `field=value`, or a text that may stand in a key, a tool, a run or the params. */

const FIELD_AND_VALUE = /^([A-Za-z_][\w.-]*)\s*=\s*(.+)$/;

export type LedgerQuery = { field: string; value: string } | { text: string };

export function toLedgerQuery(wanted: string): LedgerQuery {
  const [, field, value] = FIELD_AND_VALUE.exec(wanted.trim()) ?? [];
  return field !== undefined && value !== undefined ? { field, value } : { text: wanted };
}
