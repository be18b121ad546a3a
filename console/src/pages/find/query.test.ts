import { expect, it } from "vitest";
import { toLedgerQuery } from "./query";

it.each([
  ["4471", { text: "4471" }],
  ["charge_customer:order-4471", { text: "charge_customer:order-4471" }],
  ["order_id=4471", { field: "order_id", value: "4471" }],
  ["order_id = 4471 ", { field: "order_id", value: "4471" }],
  ["to=a=b", { field: "to", value: "a=b" }],
  ["=4471", { text: "=4471" }],
  ["order_id=", { text: "order_id=" }],
])("%s", (wanted, expected) => {
  expect(toLedgerQuery(wanted)).toEqual(expected);
});
