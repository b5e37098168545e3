import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { ModulesAfterStyles, START_MODULES } from "./modules-after-styles.server.ts";

const HEAD =
  '<html><head><meta charSet="utf-8"/><link rel="stylesheet" href="/a.css"/><link rel="modulepreload" href="/a.js"/><link rel="modulepreload" href="/assets/framework-x.js"/></head>';
const BODY = '<body>₹149 <script nonce="x" type="module" async="">import "/a.js"</script></body></html>';

function through(document: string, chunkSize: number): Promise<string> {
  const bytes = Buffer.from(document);
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += chunkSize) chunks.push(bytes.subarray(at, at + chunkSize));
  return text(Readable.from(chunks).pipe(new ModulesAfterStyles("x")));
}

test.each([
  1, 7, 26, 10_000,
])("modules wait when the document arrives in chunks of %i bytes, and nothing else is changed", async (size) => {
  expect(await through(HEAD + BODY, size)).toBe(
    HEAD.replace('rel="modulepreload"', 'rel="waiting-modulepreload"').replace(
      "<link",
      `<script nonce="x">${START_MODULES}</script><link`,
    ) + BODY.replace('type="module" async=""', 'type="waiting-module"'),
  );
});

test("a document without a head or a module is not changed", async () => {
  expect(await through("<p>stopped early", 3)).toBe("<p>stopped early");
  expect(await through("<head></head><p>no module", 3)).toBe("<head></head><p>no module");
});

test("the script starts the preloads and the module once, when the stylesheet has loaded", () => {
  const listeners = new Map<string, (event: object) => void>();
  const started: object[] = [];
  const element = () => ({ rel: "", type: "", nonce: "", href: "", textContent: "" });
  const preloads = [
    {
      href: "/a.js",
      replaceWith: (link: object) => {
        preloads.pop();
        started.push(link);
      },
    },
  ];
  const module = { ...element(), type: "waiting-module", nonce: "x", textContent: "go()" };
  const document = {
    addEventListener: (type: string, listener: (event: object) => void) => listeners.set(type, listener),
    querySelectorAll: () => [...preloads],
    querySelector: () => (module.type === "waiting-module" ? module : null),
    createElement: element,
    head: { append: (script: object) => started.push(script) },
  };
  runInNewContext(START_MODULES, { document });
  listeners.get("load")?.({ target: { rel: "icon" } });
  expect(started).toEqual([]);
  listeners.get("load")?.({ target: { rel: "stylesheet" } });
  listeners.get("DOMContentLoaded")?.({});
  expect(started).toEqual([
    { ...element(), rel: "modulepreload", href: "/a.js" },
    { ...element(), type: "module", nonce: "x", textContent: "go()" },
  ]);
});
