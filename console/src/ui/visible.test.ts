import { expect, it } from "vitest";
import { piecesOf, visible, visibleLines } from "./visible";

it.each([
  ["refund:82", "refund:82"],
  ["IBAN\u202e00 1TAXY", "IBAN\\u202e00 1TAXY"],
  ["a\u200bb\u2066c\u2069\ufeff", "a\\u200bb\\u2066c\\u2069\\ufeff"],
  ["tab\tnew\nline\r", "tab\\tnew\\nline\\r"],
  ["\u0000\u001b\u007f\u0085", "\\u0000\\u001b\\u007f\\u0085"],
  ["no\u00a0break\u2003wide\u2028", "no\\u00a0break\\u2003wide\\u2028"],
  ["soft\u00adhyphen\u3164filler\u115f", "soft\\u00adhyphen\\u3164filler\\u115f"],
  ["tag\u{e0041}", "tag\\udb40\\udc41"],
  ["half\ud83d", "half\\ud83d"],
  ["1\ufe0f and \u26a0\ufe0f", "1\\ufe0f and \u26a0\ufe0f"],
  ["Größe 木\u3000村 שלום 😀", "Größe 木\u3000村 שלום 😀"],
])("shows %j as %j", (text, expected) => {
  expect(visible(text)).toBe(expected);
});

it("leaves lines where they are meant", () => {
  expect(visibleLines("{\n  a\u202e\tb\n}")).toBe("{\n  a\\u202e\\tb\n}");
});

it("marks the spaces that the eye passes over", () => {
  const told = (text: string) => piecesOf(text).map((it) => (it.isSpace ? it.text.length : it.text));
  expect(told("a b  c")).toEqual(["a b", 2, "c"]);
  expect(told(" lead")).toEqual([1, "lead"]);
  expect(told("trail ")).toEqual(["trail", 1]);
  expect(told("   ")).toEqual([3]);
  expect(told("a b")).toEqual(["a b"]);
  expect(told("")).toEqual([]);
});
