import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { delayModules, START_MODULES } from "./modules-after-styles.server.ts";

const HEAD = '<html><head><meta charset="utf-8"/><link rel="stylesheet" href="/a.css"/></head>';
const PRELOAD = '<link rel="modulepreload" href="/a.js"/>';
const FRAMEWORK = '<link rel="modulepreload" href="/assets/framework-x.js"/>';
const MODULE = '<script nonce="x" type="module" async>import "/a.js"</script></body></html>';

test("modules wait for the stylesheet, except the framework, and nothing else is changed", () => {
  expect(delayModules(`${HEAD}<body>₹149 ${PRELOAD}${FRAMEWORK}${PRELOAD}${MODULE}`, "x")).toBe(
    HEAD.replace("<link", `<script nonce="x">${START_MODULES}</script><link`).replace(
      "</head>",
      `${FRAMEWORK}</head>`,
    ) +
      "<body>₹149 " +
      PRELOAD.replace('"modulepreload"', '"waiting-modulepreload"').repeat(2) +
      MODULE.replace('type="module" async', 'type="waiting-module"'),
  );
});

test("a document without a head or a module is not changed", () => {
  expect(delayModules("<p>stopped early", "x")).toBe("<p>stopped early");
  expect(delayModules("<head></head><p>no module", "x")).toBe("<head></head><p>no module");
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
    currentScript: { remove: () => undefined },
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
