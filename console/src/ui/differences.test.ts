import { describe, expect, it } from "vitest";
import type { Json } from "../api/types";
import { differences } from "./differences";

describe("differences", () => {
  it.each<[string, Json, Json, string[]]>([
    ["nothing", { a: [1, { b: null }] }, { a: [1, { b: null }] }, []],
    ["a changed leaf", { a: { b: 1 } }, { a: { b: 2 } }, ["changed a.b"]],
    ["what is new and what is gone", { a: 1, b: 2 }, { b: 2, c: 3 }, ["removed a", "added c"]],
    ["lists by place", [1, 2], [1, 3, 4], ["changed [1]", "added [2]"]],
    ["null against an object", { a: null }, { a: {} }, ["changed a"]],
    ["a list against an object", { a: [] }, { a: {} }, ["changed a"]],
    ["the whole", 1, "1", ["changed (whole)"]],
    ["a name that objects have by birth", {}, JSON.parse('{"__proto__": 1}') as Json, ["added __proto__"]],
  ])("finds %s", (_, left, right, expected) => {
    expect(differences(left, right).map((it) => `${it.kind} ${it.path}`)).toEqual(expected);
  });
});
