const PRELOAD = '<link rel="modulepreload"';
const WAITING_PRELOAD = '<link rel="waiting-modulepreload"';
/** Half of the bytes: it starts with the stylesheet, so that the line is never idle. */
const FRAMEWORK_PRELOAD = /<link rel="modulepreload" href="\/assets\/framework-[^>]*>/;
const MODULE = ' type="module" async';
const WAITING_MODULE = ' type="waiting-module"';
const HEAD_START = '<meta charset="utf-8"/>';
const HEAD_END = "</head>";

/**
 * Makes most modules of a document wait for its stylesheet: on a slow network they would all share the line, and the page
 * would stay white for twice as long.
 *
 * @param nonce of the page's scripts
 */
export function delayModules(document: string, nonce: string): string {
  const headEnd = document.indexOf(HEAD_END);
  // The router's module is the only one, and it comes after the preloads. Texts of the shop contain no tags: they are escaped.
  const at = document.lastIndexOf(MODULE);
  if (headEnd === -1 || at === -1) return document;
  const head = document
    .slice(0, headEnd)
    .replace(HEAD_START, `${HEAD_START}<script nonce="${nonce}">${START_MODULES}</script>`);
  const body = document.slice(headEnd, at);
  const [framework = ""] = FRAMEWORK_PRELOAD.exec(body) ?? [];
  const waitingBody = body.replace(framework, "").replaceAll(PRELOAD, WAITING_PRELOAD);
  return head + framework + waitingBody + WAITING_MODULE + document.slice(at + MODULE.length);
}

/**
 * The first script of the document. When the stylesheet has loaded or failed, it makes the waiting elements again with the
 * types that browsers load. The module may be parsed later than that: then it starts at the end of the document. Without a node
 * after it, the parser may have read only a part of it. The script removes itself: hydration would take it for an element of
 * the page.
 */
export const START_MODULES = `{
document.currentScript.remove();
const startPreloads = () => {
  for (const waiting of document.querySelectorAll('link[rel="waiting-modulepreload"]')) {
    const preload = document.createElement("link");
    preload.rel = "modulepreload";
    preload.href = waiting.href;
    waiting.replaceWith(preload);
  }
};
const startModule = () => {
  const waiting = document.querySelector('script[type="waiting-module"]');
  if (!waiting || (document.readyState === "loading" && !waiting.nextSibling)) return;
  waiting.type = "started-module";
  const module = document.createElement("script");
  module.type = "module";
  module.nonce = waiting.nonce;
  module.textContent = waiting.textContent;
  document.head.append(module);
};
const onStyles = ({ target }) => {
  if (target.rel !== "stylesheet") return;
  startPreloads();
  startModule();
};
document.addEventListener("load", onStyles, true);
document.addEventListener("error", onStyles, true);
document.addEventListener("DOMContentLoaded", () => {
  startPreloads();
  startModule();
});
}`.replaceAll(/\n\s*/g, "\n");
