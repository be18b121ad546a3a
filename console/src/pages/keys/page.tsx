import { useTitle } from "../../ui/title";

export function Keys() {
  useTitle("Keys");
  return <h1>Keys</h1>;
}
