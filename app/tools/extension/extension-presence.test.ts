import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { PRESENCE_REQUEST, type Presence, presence } from "#contracts/page-messages.ts";
import { stubWindow } from "#tests/fixtures/fake-window.ts";
import { askForExtension, canHaveExtension } from "./extension-presence.ts";

afterEach(() => vi.unstubAllGlobals());

test("a page asks its own origin for the extension, and hears only the presence of one, until it stops", () => {
  const page = stubWindow();
  const heard: Presence[] = [];
  const stop = askForExtension((received) => heard.push(received));
  expect(page.posted).toEqual([{ message: PRESENCE_REQUEST, target: "https://shop.example" }]);

  page.receive(presence("1.2.0"), { origin: "https://evil.example" });
  page.receive(presence("1.2.0"), { source: {} });
  page.receive({ ...presence("1.2.0"), version: "newest" });
  page.receive(PRESENCE_REQUEST);
  fc.assert(
    fc.property(fc.anything(), (message) => page.receive(message)),
    { numRuns: 500 },
  );
  expect(heard).toEqual([]);

  page.receive(presence("1.2.0"));
  page.receive(presence("1.3.0"));
  expect(heard.map(({ version }) => version)).toEqual(["1.2.0", "1.3.0"]);
  stop();
  page.receive(presence("1.4.0"));
  expect(heard).toHaveLength(2);
  expect(page.listeners.size).toBe(0);
});

const MAC =
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.6 Safari/605.1.15";

test.each([
  [
    "a computer with Windows",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/140.0.0.0 Safari/537.36",
    0,
    true,
  ],
  ["a laptop with a touch screen", "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Edg/140.0.0.0", 10, true],
  ["a Mac", MAC, 0, true],
  ["a Linux desktop", "Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0", 0, true],
  [
    "an Android phone",
    "Mozilla/5.0 (Linux; Android 16; Pixel 9) Chrome/140.0.0.0 Mobile Safari/537.36",
    5,
    false,
  ],
  ["an Android tablet", "Mozilla/5.0 (Linux; Android 16; Tab S9) Chrome/140.0.0.0 Safari/537.36", 5, false],
  [
    "an iPhone",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) Version/18.6 Mobile/15E148",
    5,
    false,
  ],
  ["an iPad, which says that it is a Mac", MAC, 5, false],
])("%s can have the extension or not", (_what, userAgent, maxTouchPoints, expected) => {
  expect(canHaveExtension({ userAgent, maxTouchPoints })).toBe(expected);
});
