import { describe, expect, it } from "vitest";
import { allows, allowsSome } from "./permissions";
import type { Permissions } from "./types";

const NOTHING: Permissions = { observe: [], read: [], write: [], delete: [], admin: [] };

describe("allows", () => {
  it.each<[Partial<Permissions>, "observe" | "read" | "write", string, boolean]>([
    [{ read: ["*"] }, "read", "run-7", true],
    [{ read: ["run-*"] }, "read", "run-7", true],
    [{ read: ["run-*"] }, "read", "other", false],
    [{ read: ["run-7"] }, "read", "run-77", false],
    [{ read: ["*"] }, "write", "run-7", false],
    [{ read: ["*"] }, "observe", "run-7", true],
    [{ observe: ["*"] }, "read", "run-7", false],
    [{ admin: ["run-*"] }, "write", "run-7", true],
  ])("%j, %s on %s: %s", (granted, action, channel, expected) => {
    expect(allows({ ...NOTHING, ...granted }, action, channel)).toBe(expected);
  });

  it("takes a server without observers", () => {
    const { observe: _, ...older } = NOTHING;
    expect(allows({ ...older, read: ["*"] }, "observe", "run-7")).toBe(true);
    expect(allowsSome(older, "observe")).toBe(false);
  });
});
