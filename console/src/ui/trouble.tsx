import { ApiError } from "../api/http";
import { visible } from "./visible";

/** What went wrong, in the server's own words. */
export function Trouble({ error, retry }: { error: Error; retry?: () => void }) {
  const code = error instanceof ApiError && error.code !== "unknown" ? error.code : null;
  const field = error instanceof ApiError ? error.field : null;
  return (
    <div class="notice bad" role="alert">
      {visible(error.message)}
      {field !== null && !error.message.includes(field) && (
        <>
          {" "}
          (<code>{visible(field)}</code>)
        </>
      )}
      {code !== null && (
        <>
          {" "}
          <code class="quiet">{code}</code>
        </>
      )}
      {retry !== undefined && (
        <>
          {" "}
          <button type="button" class="plain" onClick={retry}>
            Try again
          </button>
        </>
      )}
    </div>
  );
}
