import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { PRESENCE_REQUEST, type Presence, presence } from "#contracts/page-messages.ts";
import { stubWindow } from "#tests/fixtures/fake-window.ts";
import { askForExtension } from "./extension-presence.ts";

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
