import { expect, test, vi } from "vitest";
import { listenToOtherPages, notifyOtherPages } from "./page-channel.ts";

/** Another page of the same browser. */
const otherPage = () => new BroadcastChannel("daypass-session");

test("a page receives the messages of other pages and never its own", async () => {
  const other = otherPage();
  const receivedThere: unknown[] = [];
  other.onmessage = ({ data }) => {
    receivedThere.push(data);
    other.postMessage("answer");
  };
  const [first, second] = [vi.fn(), vi.fn()];
  const stop = [first, second].map(listenToOtherPages);

  notifyOtherPages("bought");

  // The other page's answer arrives after any message that this page could have received from itself.
  await vi.waitFor(() => expect(first).toHaveBeenCalled());
  expect(receivedThere).toEqual(["bought"]);
  expect(first.mock.calls).toEqual([["answer"]]);
  expect(second.mock.calls).toEqual([["answer"]]);
  for (const end of stop) end();
  other.close();
});

test("the channel between pages closes with its last listener and opens again for the next one", async () => {
  const stop = listenToOtherPages(() => undefined);
  stop();
  notifyOtherPages("without a listener");
  const received: unknown[] = [];
  const other = otherPage();
  other.onmessage = ({ data }) => received.push(data);
  const stopAgain = listenToOtherPages(() => undefined);
  notifyOtherPages("with a listener");
  await vi.waitFor(() => expect(received).toEqual(["with a listener"]));
  stopAgain();
  other.close();
});
