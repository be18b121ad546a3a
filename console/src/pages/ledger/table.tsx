import { OperationLink, RunLink } from "../../ui/links";
import { Said } from "../../ui/said";
import { Status } from "../../ui/status";
import { Ago } from "../../ui/time";
import { visible } from "../../ui/visible";
import type { Row } from "./sections";

/** Operations, a row each: how it stands, what it is, where it belongs, and since when. */
export function OperationTable({ rows }: { rows: Row[] }) {
  if (rows.length === 0) return null;
  return (
    <table class="stacked operations">
      <thead>
        <tr>
          <th scope="col">Status</th>
          <th scope="col">Key</th>
          <th scope="col">Tool</th>
          <th scope="col">Run</th>
          <th scope="col" class="num">
            Attempts
          </th>
          <th scope="col">Lease</th>
          <th scope="col">Claimed</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((it) => (
          <tr key={it.id}>
            <td>
              <Status of={it.standing} />
            </td>
            <td class="key" title={visible(it.key_name)}>
              <OperationLink id={it.id} name={it.key_name} />
            </td>
            <td class="mono" data-label="Tool" title={visible(it.tool_name)}>
              <Said text={it.tool_name} />
            </td>
            <td data-label="Run" title={visible(it.channel_id)}>
              <RunLink id={it.channel_id} cursor={it.completed_cursor ?? it.started_cursor} />
            </td>
            <td class="num" data-label="Attempts">
              {it.attempts}
            </td>
            <td data-label="Lease" class={it.lease_until === null ? "without" : ""}>
              {it.lease_until === null ? (
                <span class="quiet">–</span>
              ) : (
                <>
                  {it.standing === "running" ? "ends " : "ended "}
                  <Ago at={it.lease_until} />
                </>
              )}
            </td>
            <td data-label="Claimed">
              <Ago at={it.created_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
