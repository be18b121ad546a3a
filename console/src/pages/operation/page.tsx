import { useTitle } from "../../ui/title";

export function Operation() {
  useTitle("Operation");
  return <h1>Operation</h1>;
}
