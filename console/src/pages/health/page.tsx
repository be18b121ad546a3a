import { useTitle } from "../../ui/title";

export function Health() {
  useTitle("Health");
  return <h1>Health</h1>;
}
