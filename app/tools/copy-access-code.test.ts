import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { codeByHand, copyAccessCode } from "./copy-access-code.ts";
import { CodeRefused } from "./fetch-access-code.ts";

/** What was put on the clipboard, in order. */
let clipboard: string[];

/** A clipboard that, as browsers do, reads the promise of an item and fails when it fails. */
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

describe("a code that arrives", () => {
  test.each([
    ["as a promise", { write, writeText }, FakeItem],
    ["as text, where promises are not taken", { write: refuse, writeText }, FakeItem],
    ["as text, where there are no items", { writeText }, undefined],
  ])("is copied %s, and gone after 100 ms", async (_how, methods, Item) => {
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
  ])("is shown to be copied by hand when %s", async (_why, methods) => {
    browserWith(methods);
    const outcome = await copyAccessCode(Promise.resolve("CGPT-ONE"));
    expect(outcome).toEqual({ kind: "by-hand", code: "CGPT-ONE" });
    await vi.advanceTimersByTimeAsync(1000);
    expect(clipboard).toEqual([]);
  });
});

test("the clipboard is given the promise at once, while the click still counts", () => {
  const started = vi.fn(write);
  browserWith({ write: started, writeText });
  void copyAccessCode(Promise.resolve("CGPT-ONE"));
  expect(started).toHaveBeenCalledOnce();
});

test.each([
  { write, writeText },
  { writeText },
  undefined,
])("a refused code leaves the clipboard alone and says why", async (methods) => {
  browserWith(methods);
  const refused = Promise.reject(new CodeRefused("No access code found for Server 1", { status: 404 }));
  expect(await copyAccessCode(refused)).toEqual({
    kind: "refused",
    message: "No access code found for Server 1",
    status: 404,
  });
  await vi.advanceTimersByTimeAsync(1000);
  expect(clipboard).toEqual([]);
});

test("a clipboard that may not be overwritten later does no harm", async () => {
  browserWith({ write, writeText: refuse });
  expect(await copyAccessCode(Promise.resolve("CGPT-ONE"))).toEqual({ kind: "copied" });
  await vi.advanceTimersByTimeAsync(1000);
  expect(clipboard).toEqual(["CGPT-ONE"]);
});

test("a code that is asked for to be read is handed out without touching the clipboard", async () => {
  browserWith({ write, writeText });
  expect(await codeByHand(Promise.resolve("CGPT-ONE"))).toEqual({ kind: "by-hand", code: "CGPT-ONE" });
  const refused = new CodeRefused("No access.", { status: 403 });
  expect(await codeByHand(Promise.reject(refused))).toEqual({
    kind: "refused",
    message: "No access.",
    status: 403,
  });
  await vi.runAllTimersAsync();
  expect(clipboard).toEqual([]);
});
