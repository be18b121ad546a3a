import { useTitle } from "../../ui/title";

export function Ledger() {
  useTitle("Ledger");
  return <h1>Ledger</h1>;
}
