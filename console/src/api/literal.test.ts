import { describe, expect, it } from "vitest";
import { compacted, indented, literalAt, literalObject, literalsOf, lossIn } from "./literal";

const TEXT = '{ "a" : 12345678901234567890, "b":{"c":[1.0, "x]}\\"," ,null],"d":{}} , "a b":-1e5,"é":true}';

describe("literalsOf", () => {
  it("keeps what numbers look like", () => {
    expect([...literalsOf(TEXT)]).toEqual([
      ["a", "12345678901234567890"],
      ["b", '{"c":[1.0, "x]}\\"," ,null],"d":{}}'],
      ["a b", "-1e5"],
      ["é", "true"],
    ]);
  });

  it.each(["7", '"text"', "null", "{}", "[]"])("finds nothing in %s", (text) => {
    expect(literalsOf(text).size).toBe(0);
  });

  it("refuses half a value", () => {
    expect(() => literalsOf('{"a": "b')).toThrow(SyntaxError);
    expect(() => literalsOf('{"a": [1')).toThrow(SyntaxError);
  });
});

describe("literalAt", () => {
  it.each([
    [["b", "c", 0], "1.0"],
    [["b", "c", 1], '"x]}\\","'],
    [["b", "d"], "{}"],
    [["b", "nothing", "here"], undefined],
  ])("goes %j", (way, expected) => {
    expect(literalAt(TEXT, ...way)).toBe(expected);
  });
});

it("writes what was read", () => {
  expect(literalObject({ outcome: '"applied"', result: "1.50", reason: undefined })).toBe(
    '{"outcome":"applied","result":1.50}',
  );
  const back = indented(TEXT);
  expect(back).toContain('  "a": 12345678901234567890,\n  "b": {\n    "c": [\n      1.0,');
  expect(JSON.parse(back)).toEqual(JSON.parse(TEXT));
  expect(compacted(back)).toBe(
    '{"a":12345678901234567890,"b":{"c":[1.0,"x]}\\",",null],"d":{}},"a b":-1e5,"é":true}',
  );
});

it.each([
  ['{"a":1,"a":2}', '"a" is there twice'],
  ['{"x":[{"b":1,"\\u0062":1}]}', '"b" is there twice'],
  ['{"x":1e999}', "1e999 is larger"],
  ["[-1e400]", "-1e400 is larger"],
  ["1e999", "1e999 is larger"],
])("finds in %s that %s", (text, expected) => {
  expect(lossIn(text)).toContain(expected);
});

it.each(['{"a":{"b":1},"b":[1,1,1.0]}', '"1e999"', "null", " [ ] ", "1e-999", TEXT])(
  "finds no loss in %s",
  (text) => {
    expect(lossIn(text)).toBeNull();
  },
);
