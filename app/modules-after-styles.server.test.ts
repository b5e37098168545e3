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

/** A document whose parser has read a preload and the start of the module, in which the script runs. */
function runScript() {
  const listeners = new Map<string, (event: object) => void>();
  const started: object[] = [];
  const element = () => ({ rel: "", type: "", nonce: "", href: "", textContent: "" });
  const preloads: object[] = [];
  const replaceWith = (link: object) => {
    preloads.pop();
    started.push(link);
  };
  preloads.push({ ...element(), href: "/a.js", replaceWith });
  const nextSibling: object | null = null;
  const module = { ...element(), type: "waiting-module", nonce: "x", textContent: "go(", nextSibling };
  const document = {
    readyState: "loading",
    addEventListener: (type: string, listener: (event: object) => void) => listeners.set(type, listener),
    querySelectorAll: () => [...preloads],
    querySelector: () => (module.type === "waiting-module" ? module : null),
    createElement: element,
    head: { append: (script: object) => started.push(script) },
  };
  runInNewContext(START_MODULES, { document });
  return {
    started,
    finishModule: () => Object.assign(module, { textContent: "go()", nextSibling: {} }),
    load: (rel: string) => listeners.get("load")?.({ target: { rel } }),
    finishDocument() {
      document.readyState = "interactive";
      listeners.get("DOMContentLoaded")?.({});
    },
    preload: { ...element(), rel: "modulepreload", href: "/a.js" },
    module: { ...element(), type: "module", nonce: "x", textContent: "go()" },
  };
}

test("the script starts the preloads and the module once, when the stylesheet has loaded", () => {
  const { started, finishModule, load, finishDocument, preload, module } = runScript();
  finishModule();
  load("icon");
  expect(started).toEqual([]);
  load("stylesheet");
  expect(started).toEqual([preload, module]);
  finishDocument();
  expect(started).toEqual([preload, module]);
});

test("a module that the parser has read in part starts at the end of the document", () => {
  const { started, finishModule, load, finishDocument, preload, module } = runScript();
  load("stylesheet");
  expect(started).toEqual([preload]);
  finishModule();
  finishDocument();
  expect(started).toEqual([preload, module]);
});
