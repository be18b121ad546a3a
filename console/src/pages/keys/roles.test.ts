import { describe, expect, it } from "vitest";
import type { Permissions } from "../../api/types";
import { keyStanding, permissionsOf, ROLES, readPatterns, refusalOfPatterns, tellPermissions } from "./roles";

const none: Permissions = { read: [], write: [], delete: [], admin: [] };

describe("roles", () => {
  it.each(ROLES)("%s is told as what it was made as", (role, name) => {
    expect(tellPermissions(permissionsOf(role, ["run-*", "b"]))).toEqual([
      { what: name, patterns: ["run-*", "b"] },
    ]);
  });

  it("an observer reads nothing", () => {
    expect(permissionsOf("observer", ["*"])).toEqual({ ...none, observe: ["*"] });
  });

  it.each<[string, Partial<Permissions>, string[]]>([
    ["no role", { read: ["*"], delete: ["*"] }, ["read, delete: *"]],
    ["other runs for each", { read: ["*"], write: ["a-*"] }, ["read: *", "write: a-*"]],
    ["nothing", {}, []],
    ["everything", { read: ["*"], write: ["*"], delete: ["*"], admin: ["*"] }, ["Admin: *"]],
    ["reading and observing", { observe: ["*"], read: ["*"] }, ["Reader: *"]],
    ["observing more than is read", { observe: ["*"], read: ["a"] }, ["observe: *", "read: a"]],
  ])("tells %s by its patterns", (_, granted, told) => {
    const found = tellPermissions({ ...none, ...granted });
    expect(found.map((it) => `${it.what}: ${it.patterns.join(" ")}`)).toEqual(told);
  });
});

describe("patterns", () => {
  it("are read as people type them", () => {
    expect(readPatterns("run-*,  b\n\n run-* *")).toEqual(["run-*", "b", "*"]);
    expect(readPatterns("  ")).toEqual([]);
  });

  it.each([
    [["*"], true],
    [["run-7", "a:b.c_d*"], true],
    [[], false],
    [["a*b"], false],
    [["a", "ü"], false],
    [["**"], false],
  ])("%j can be sent: %s", (patterns, isGood) => {
    expect(refusalOfPatterns(patterns) === null).toBe(isGood);
  });
});

describe("keyStanding", () => {
  const at = (ms: number) => new Date(ms).toISOString();
  it.each([
    [null, null, "valid"],
    [at(2_000), null, "valid"],
    [at(1_000), null, "expired"],
    [at(500), at(400), "revoked"],
  ] as const)("expires %s, revoked %s: %s", (expires_at, revoked_at, expected) => {
    expect(keyStanding({ expires_at, revoked_at }, 1_000)).toBe(expected);
  });
});
