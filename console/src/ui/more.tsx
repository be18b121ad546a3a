import type { Pages } from "../api/pages";
import { Trouble } from "./trouble";

/** The end of a list: what is loading, what went wrong, whether there is more. */
export function ListEnd<T>({ pages, none }: { pages: Pages<T>; none: string }) {
  return (
    <>
      {pages.error !== null && <Trouble error={pages.error} retry={pages.reload} />}
      {pages.loading && (
        <p class="waiting" role="status">
          Loading…
        </p>
      )}
      {!pages.loading && pages.items.length === 0 && pages.error === null && <p class="empty">{none}</p>}
      {!pages.loading && pages.hasMore && (
        <p class="more">
          <button type="button" onClick={pages.more}>
            Older
          </button>
        </p>
      )}
    </>
  );
}
