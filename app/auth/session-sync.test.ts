import { expect, test, vi } from "vitest";
import { listenToOtherPages, tellOtherPages } from "./session-sync.ts";

/** Another page of the same browser. */
const otherPage = () => new BroadcastChannel("daypass-session");

test("a page hears the other pages and never itself", async () => {
  const other = otherPage();
  const heardThere: unknown[] = [];
  other.onmessage = ({ data }) => {
    heardThere.push(data);
    other.postMessage("answer");
  };
  const [first, second] = [vi.fn(), vi.fn()];
  const stop = [first, second].map(listenToOtherPages);

  tellOtherPages("bought");

  // The other page's answer arrives after anything this page could have heard of its own message.
  await vi.waitFor(() => expect(first).toHaveBeenCalled());
  expect(heardThere).toEqual(["bought"]);
  expect(first.mock.calls).toEqual([["answer"]]);
  expect(second.mock.calls).toEqual([["answer"]]);
  for (const end of stop) end();
  other.close();
});

test("the channel closes with its last listener and opens again for the next one", async () => {
  const stop = listenToOtherPages(() => undefined);
  stop();
  tellOtherPages("heard by nobody");
  const heard: unknown[] = [];
  const other = otherPage();
  other.onmessage = ({ data }) => heard.push(data);
  const stopAgain = listenToOtherPages(() => undefined);
  tellOtherPages("heard");
  await vi.waitFor(() => expect(heard).toEqual(["heard"]));
  stopAgain();
  other.close();
});
