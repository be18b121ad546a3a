import { useTitle } from "../../ui/title";

export function Compare() {
  useTitle("Compare");
  return <h1>Compare</h1>;
}
