import { act, cleanup, fireEvent, render, screen, waitFor } from "@testing-library/preact";
import { afterEach, expect, it } from "vitest";
import { leaveSearchField, rowAfter, useRowKeys } from "./row-keys";

afterEach(cleanup);

function List({ rows }: { rows: string[] }) {
  useRowKeys();
  return (
    <>
      <input type="search" aria-label="Find" />
      <input type="text" aria-label="Reason" />
      {rows.map((it) => (
        <a key={it} href={it} data-row onClick={(event) => event.preventDefault()}>
          {it}
        </a>
      ))}
    </>
  );
}

const focused = () => document.activeElement?.textContent;

it.each<[string, number, number]>([
  ["j", -1, 0],
  ["k", -1, 0],
  ["ArrowDown", -1, -1],
  ["ArrowDown", 0, 1],
  ["ArrowUp", 0, 0],
  ["j", 2, 2],
  ["x", 1, -1],
])("%s at row %i of three leads to %i", (key, at, expected) => {
  expect(rowAfter(key, at, 3)).toBe(expected);
});

it("leads from the search field to the first row, and types j there", () => {
  render(<List rows={["/one", "/two"]} />);
  const field = screen.getByLabelText("Find");
  field.focus();
  fireEvent.keyDown(field, { key: "j" });
  expect(document.activeElement).toBe(field);
  fireEvent.keyDown(field, { key: "ArrowDown" });
  expect(focused()).toBe("/one");
  const other = screen.getByLabelText("Reason");
  other.focus();
  fireEvent.keyDown(other, { key: "ArrowDown" });
  expect(document.activeElement).toBe(other);
});

it("leaves the search field for the first result, unless more is typed", () => {
  render(<List rows={["/one"]} />);
  const field = screen.getByLabelText<HTMLInputElement>("Find");
  field.focus();
  field.value = "order 4";
  leaveSearchField("order");
  expect(document.activeElement).toBe(field);
  leaveSearchField("order 4");
  expect(focused()).toBe("/one");
});

it("is on the row that was followed, after coming back, once the rows are there", async () => {
  const first = render(<List rows={["/one", "/two"]} />);
  fireEvent.click(screen.getByText("/two"));
  first.unmount();
  dispatchEvent(new Event("popstate"));
  const { rerender } = render(<List rows={[]} />);
  act(() => rerender(<List rows={["/zero", "/one", "/two"]} />));
  await waitFor(() => expect(focused()).toBe("/two"));
});

it("is nowhere after going on by a link", async () => {
  const first = render(<List rows={["/one"]} />);
  fireEvent.click(screen.getByText("/one"));
  first.unmount();
  render(<List rows={["/one"]} />);
  await Promise.resolve();
  expect(document.activeElement).toBe(document.body);
});
