import { expect, it } from "vitest";
import { mayBeginChannelId } from "./channel-ids";

it.each([
  ["order-4471", true],
  [".", true],
  ["a:b_c.d", true],
  ["", false],
  ["order 4471", false],
  ['"4471"', false],
  ["ordre-é", false],
  ["x".repeat(256), true],
  ["x".repeat(257), false],
])("%s", (text, expected) => {
  expect(mayBeginChannelId(text)).toBe(expected);
});
