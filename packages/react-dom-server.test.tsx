import { text } from "node:stream/consumers";
import { renderToReadableStream } from "react-dom/server";
import { expect, test } from "vitest";

test("the stream of a rendering is the result of a promise, as in React", async () => {
  const stream = renderToReadableStream(<p>₹149</p>);
  expect(stream).toBeInstanceOf(Promise);
  expect(await text(await stream)).toBe("<p>₹149</p>");
});
