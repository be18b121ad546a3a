import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { executionIdOf, providerKeyOf, sha256 } from "./digests";

describe("sha256", () => {
  it.each([0, 1, 3, 55, 56, 63, 64, 65, 119, 120, 1_000])("of %i bytes is what others say", (length) => {
    const bytes = Uint8Array.from({ length }, (_, at) => (at * 37) % 256);
    expect(Buffer.from(sha256(bytes)).toString("hex")).toBe(createHash("sha256").update(bytes).digest("hex"));
  });
});

it("names the operation of a key as the server does", () => {
  expect(executionIdOf("run-7f2a", "charge:order-4471")).toBe("run-7f2a~7336a08602ca0f048c2b926f71da8313");
  expect(executionIdOf("run", "é".repeat(120))).toBe("run~bb658d82692ba34304297e5edfa985b4");
});

it.each([
  ["run-7f2a", "charge:order-4471", "0b69a089-7dec-54e7-9ed4-9f86475d1da0"],
  [`run-${"x".repeat(200)}`, "é".repeat(120), "8fa4509c-142b-5d1b-ad94-8c70b0b78263"],
])("gives the provider's key as the clients do (%#)", async (channelId, keyName, expected) => {
  expect(await providerKeyOf(channelId, keyName)).toBe(expected);
});
