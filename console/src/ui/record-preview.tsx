import { indented } from "../api/literal";
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
        <span class="mono">{channelId}</span> by {by}
      </summary>
      {planned.map((it) => (
        <div key={it.type}>
          <strong class="mono">{it.type}</strong>
          <pre>{indented(it.body)}</pre>
        </div>
      ))}
    </details>
  );
}
