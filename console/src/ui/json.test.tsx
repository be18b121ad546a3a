import { cleanup, fireEvent, render, screen } from "@testing-library/preact";
import { afterEach, expect, it, vi } from "vitest";
import { JsonBox } from "./json";

afterEach(cleanup);

it("shows what is near and folds what is deep", () => {
  render(<JsonBox value={{ order: { lines: [{ sku: "a-1" }] } }} label="payload" depth={1} />);
  expect(screen.getByText("order")).toBeTruthy();
  expect(screen.queryByText("lines")).toBeNull();
});

it("shows strings as strings, so that 42 and “42” differ", () => {
  render(<JsonBox value={{ amount: 42, text: "42", none: null }} label="payload" />);
  expect(screen.getByText("42").className).toBe("num-value");
  expect(screen.getByText('"42"').className).toBe("str");
  expect(screen.getByText("null").className).toBe("word");
});

it("opens a long list bit by bit", () => {
  render(<JsonBox value={Array.from({ length: 450 }, (_, at) => `line ${at}`)} label="payload" />);
  expect(screen.queryByText('"line 199"')).toBeTruthy();
  expect(screen.queryByText('"line 200"')).toBeNull();
  fireEvent.click(screen.getByRole("button", { name: "250 more" }));
  expect(screen.queryByText('"line 449"')).toBeTruthy();
});

it("shows the beginning of a long text", () => {
  render(<JsonBox value={"x".repeat(5_000)} label="payload" />);
  fireEvent.click(screen.getByRole("button", { name: /3000 more characters/ }));
  expect(screen.getByText(`"${"x".repeat(5_000)}"`)).toBeTruthy();
});

it("says that there is nothing", () => {
  render(<JsonBox value={undefined} label="metadata" />);
  expect(screen.getByText("none")).toBeTruthy();
});

it("shows what turns or hides text by its code, and copies it as it is", async () => {
  const copied: string[] = [];
  vi.stubGlobal("navigator", { clipboard: { writeText: async (text: string) => void copied.push(text) } });
  render(<JsonBox value={{ "to\u200b": "IBAN\u202e00 1TAXY" }} label="params" />);
  expect(screen.getByText('"IBAN\\u202e00 1TAXY"').className).toBe("str");
  expect(screen.getByText("to\\u200b").className).toBe("said");
  fireEvent.click(screen.getByRole("button", { name: "Copy params" }));
  await screen.findByText("Copied");
  expect(copied[0]).toContain("IBAN\u202e00 1TAXY");
  vi.unstubAllGlobals();
});
