import { Transform, type TransformCallback } from "node:stream";

/** All but the framework, two thirds of the bytes: it starts with the stylesheet, so that the line is never idle. */
const PRELOAD = /<link rel="modulepreload"(?! href="\/assets\/framework-)/g;
const WAITING_PRELOAD = '<link rel="waiting-modulepreload"';
const MODULE = ' type="module" async=""';
const WAITING_MODULE = ' type="waiting-module"';
const HEAD_START = '<meta charSet="utf-8"/>';
const HEAD_END = "</head>";

/**
 * Makes most modules of a document wait for its stylesheet: on a slow network they would all share the line, and the page
 * would stay white for twice as long. The whole document is read first.
 */
export class ModulesAfterStyles extends Transform {
  readonly #chunks: Buffer[] = [];
  readonly #script: string;

  /** @param nonce of the page's scripts */
  constructor(nonce: string) {
    super();
    this.#script = `<script nonce="${nonce}">${START_MODULES}</script>`;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#chunks.push(chunk);
    done();
  }

  override _flush(done: TransformCallback): void {
    const document = Buffer.concat(this.#chunks);
    const headEnd = document.indexOf(HEAD_END);
    // The router's module is the only one. Texts of the shop contain no tags: they are escaped.
    const at = document.indexOf(MODULE, headEnd);
    if (headEnd === -1 || at === -1) return done(null, document);
    const head = document
      .subarray(0, headEnd)
      .toString()
      .replaceAll(PRELOAD, WAITING_PRELOAD)
      .replace(HEAD_START, `${HEAD_START}${this.#script}`);
    const body = [
      document.subarray(headEnd, at),
      Buffer.from(WAITING_MODULE),
      document.subarray(at + MODULE.length),
    ];
    done(null, Buffer.concat([Buffer.from(head), ...body]));
  }
}

/**
 * The first script of the document. When the stylesheet has loaded or failed, it makes the waiting elements again with the
 * types that browsers load. The module may be parsed later than that: then it starts at the end of the document. Without a node
 * after it, the parser may have read only a part of it.
 */
export const START_MODULES = `{
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
