import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ToolRequestError } from "./post-tool-request.ts";
import { copyAccessCode, showValue } from "./use-reveal.ts";

/** The texts written to the clipboard, in order. */
let clipboard: string[];

/** A ClipboardItem whose promise is read, as in browsers: a rejection makes the write fail. */
class FakeItem {
  readonly content: Promise<Blob>;

  constructor(items: { "text/plain": Promise<Blob> }) {
    this.content = items["text/plain"];
  }
}
const write = async ([item]: FakeItem[]) => {
  clipboard.push((await (await item?.content)?.text()) ?? "");
};
const writeText = async (text: string) => {
  clipboard.push(text);
};
const refuse = () => Promise.reject(new DOMException("Write permission denied.", "NotAllowedError"));

beforeEach(() => {
  clipboard = [];
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function browserWith(clipboardMethods: object | undefined, Item: unknown = FakeItem) {
  vi.stubGlobal("navigator", { clipboard: clipboardMethods });
  vi.stubGlobal("ClipboardItem", Item);
}

test.each([
  ["as a promise", { write, writeText }, FakeItem],
  ["as text, where promises are not accepted", { write: refuse, writeText }, FakeItem],
  ["as text, where ClipboardItem does not exist", { writeText }, undefined],
])("a fetched access code is copied %s, and overwritten after 100 ms", async (_how, methods, Item) => {
  browserWith(methods, Item);
  expect(await copyAccessCode(Promise.resolve("CGPT-ONE"))).toEqual({ kind: "copied" });
  await vi.advanceTimersByTimeAsync(99);
  expect(clipboard).toEqual(["CGPT-ONE"]);
  await vi.advanceTimersByTimeAsync(1);
  expect(clipboard).toEqual(["CGPT-ONE", "daypass"]);
});

test.each([
  ["the browser forbids it", { write: refuse, writeText: refuse }],
  ["there is no clipboard", undefined],
])("a fetched access code is shown to be copied manually when %s", async (_why, methods) => {
  browserWith(methods);
  const outcome = await copyAccessCode(Promise.resolve("CGPT-ONE"));
  expect(outcome).toEqual({ kind: "shown", value: "CGPT-ONE" });
  await vi.advanceTimersByTimeAsync(1000);
  expect(clipboard).toEqual([]);
});

test("the clipboard gets the promise of a code synchronously, within the click", () => {
  const started = vi.fn(write);
  browserWith({ write: started, writeText });
  void copyAccessCode(Promise.resolve("CGPT-ONE"));
  expect(started).toHaveBeenCalledOnce();
});

test.each([
  { write, writeText },
  { writeText },
  undefined,
])("a refused access code does not touch the clipboard and returns the reason", async (methods) => {
  browserWith(methods);
  const refused = Promise.reject(new ToolRequestError("No access code found for Server 1", { status: 404 }));
  expect(await copyAccessCode(refused)).toEqual({
    kind: "refused",
    code: null,
    message: "No access code found for Server 1",
    status: 404,
  });
  await vi.advanceTimersByTimeAsync(1000);
  expect(clipboard).toEqual([]);
});

test("a clipboard that cannot be overwritten later causes no error", async () => {
  browserWith({ write, writeText: refuse });
  expect(await copyAccessCode(Promise.resolve("CGPT-ONE"))).toEqual({ kind: "copied" });
  await vi.advanceTimersByTimeAsync(1000);
  expect(clipboard).toEqual(["CGPT-ONE"]);
});

test("an access code that the user asks to see is returned without touching the clipboard", async () => {
  browserWith({ write, writeText });
  expect(await showValue(Promise.resolve("CGPT-ONE"))).toEqual({ kind: "shown", value: "CGPT-ONE" });
  const refused = new ToolRequestError("No access.", { status: 403 });
  expect(await showValue(Promise.reject(refused))).toEqual({
    kind: "refused",
    code: null,
    message: "No access.",
    status: 403,
  });
  await vi.runAllTimersAsync();
  expect(clipboard).toEqual([]);
});
