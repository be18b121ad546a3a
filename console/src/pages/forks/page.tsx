import { useTitle } from "../../ui/title";

export function Forks() {
  useTitle("Forks");
  return <h1>Forks</h1>;
}
