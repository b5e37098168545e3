import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { LowPriorityModulePreloads } from "./module-preloads.server.ts";

const HEAD =
  '<html><head><link rel="stylesheet" href="/a.css"/><link rel="modulepreload" href="/a.js"/><link rel="modulepreload" href="/b.js"/></head>';
const BODY = '<body>₹149 <link rel="modulepreload" href="/c.js"/></body></html>';

function through(document: string, chunkSize: number): Promise<string> {
  const bytes = Buffer.from(document);
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += chunkSize) chunks.push(bytes.subarray(at, at + chunkSize));
  return text(Readable.from(chunks).pipe(new LowPriorityModulePreloads()));
}

test.each([
  1, 7, 26, 10_000,
])("module preloads in the head get a low priority when the document arrives in chunks of %i bytes", async (size) => {
  const sent = await through(HEAD + BODY, size);
  expect(sent).toBe(HEAD.replaceAll('rel="modulepreload"', 'rel="modulepreload" fetchpriority="low"') + BODY);
});

test("a document without a head is not changed", async () => {
  expect(await through("<p>stopped early", 3)).toBe("<p>stopped early");
});
