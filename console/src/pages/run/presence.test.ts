import { expect, it } from "vitest";
import { ApiError } from "../../api/http";
import { presenceOf } from "./presence";

const run = { data: null, error: null, loading: false };
const log = { error: null, isLoading: false, isEmpty: true };
const refused = new ApiError(403, "permission_denied", "This credential may not observe it.");
const unnamed = new ApiError(400, "invalid_request", "It has a space.");
const unreachable = new ApiError(0, "unreachable", "The server cannot be reached.");

it.each([
  ["one in the list", { run: { ...run, data: {} }, log }, "there"],
  ["the first events of one that begins", { run, log: { ...log, isEmpty: false } }, "there"],
  ["the first moment", { run: { ...run, loading: true }, log: { ...log, isLoading: true } }, "asking"],
  ["a log that is slower than the list", { run, log: { ...log, isLoading: true } }, "asking"],
  ["no such run", { run, log }, "missing"],
  ["one that is not permitted", { run, log: { ...log, error: refused } }, "missing"],
  [
    "a key that may see no run",
    { run: { ...run, error: refused }, log: { ...log, error: refused } },
    "missing",
  ],
  [
    "a name that no run can have",
    { run: { ...run, error: unnamed }, log: { ...log, error: unnamed } },
    "missing",
  ],
  ["a server that is down", { run: { ...run, error: unreachable }, log }, "there"],
  ["one whose log cannot be had at present", { run, log: { ...log, error: unreachable } }, "there"],
])("tells %s", (_, known, expected) => {
  expect(presenceOf(known)).toBe(expected);
});
