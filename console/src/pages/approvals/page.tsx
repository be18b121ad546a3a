import { useTitle } from "../../ui/title";

export function Approvals() {
  useTitle("Approvals");
  return <h1>Approvals</h1>;
}
