import { act, cleanup, fireEvent, render, screen } from "@testing-library/preact";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { PrefixFilter } from "./prefix-filter";

const search = vi.fn();

beforeEach(() => {
  vi.useFakeTimers();
  search.mockReset();
});

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const field = () => screen.getByRole<HTMLInputElement>("searchbox");
const type = (value: string) => fireEvent.input(field(), { target: { value } });

it("looks once, when the typing pauses", () => {
  render(<PrefixFilter prefix="" search={search} />);
  type("o");
  vi.advanceTimersByTime(200);
  type("or ");
  vi.advanceTimersByTime(249);
  expect(search).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(search.mock.calls).toEqual([["or"]]);
});

it("looks at once on Enter, and not again after it", () => {
  render(<PrefixFilter prefix="" search={search} />);
  type("order");
  fireEvent.submit(field());
  vi.advanceTimersByTime(1_000);
  expect(search.mock.calls).toEqual([["order"]]);
});

it("keeps what is typed when the list is drawn again, and takes what comes from elsewhere", () => {
  const { rerender } = render(<PrefixFilter prefix="" search={search} />);
  type("ord");
  rerender(<PrefixFilter prefix="" search={search} />);
  expect(field().value).toBe("ord");
  act(() => rerender(<PrefixFilter prefix="other" search={search} />));
  expect(field().value).toBe("other");
});
