import { indented } from "../api/literal";
import { Said } from "./said";
import { visibleLines } from "./visible";
import "./record-preview.css";

/** An event as it will stand in the log; `body` is the text of its members. */
export interface Planned {
  type: string;
  body: string;
}

/** What a decision leaves in the log, before it is made. */
export function RecordPreview({
  channelId,
  by,
  planned,
}: {
  channelId: string;
  by: string;
  planned: Planned[];
}) {
  return (
    <details class="record-preview" open>
      <summary>
        {planned.length === 1 ? "This event" : "These events"} will be recorded on{" "}
        <span class="mono">{channelId}</span> by <Said text={by} />
      </summary>
      {planned.map((it) => (
        <div key={it.type}>
          <strong class="mono">{it.type}</strong>
          <pre>{visibleLines(indented(it.body))}</pre>
        </div>
      ))}
    </details>
  );
}
