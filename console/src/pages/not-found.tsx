import { useTitle } from "../ui/title";

export function NotFound() {
  useTitle("Not found");
  return (
    <div class="empty">
      <h1>There is no such page</h1>
      <p>
        <a href="/runs">All runs</a>
      </p>
    </div>
  );
}
