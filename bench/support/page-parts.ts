import { execFileSync } from "node:child_process";
import { brotliDecompressSync, constants } from "node:zlib";
import type { Browser } from "@playwright/test";
import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse } from "parse5";

const PHONE = {
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
  javaScriptEnabled: false,
};

/** The bytes of a page by part, before compression, and where on the wire its first screen on a phone ends. */
export async function measureParts(browser: Browser, url: string): Promise<Record<string, number>> {
  const curl = (...args: string[]) => execFileSync("curl", ["-s", ...args, url], { maxBuffer: 1e7 });
  const wire = curl("-H", "accept-encoding: gzip, deflate, br");
  const headers = curl("-o", "/dev/null", "-D", "-", "-H", "accept-encoding: gzip, deflate, br").length;
  const html = brotliDecompressSync(wire).toString();
  const end = await findFirstScreen(browser, url, html);
  return {
    html: Buffer.byteLength(html),
    ...sizesOf(html),
    wire: wire.length,
    "wire with headers": headers + wire.length,
    "first screen ends in the html at": end,
    "first screen ends on the wire at": headers + wireLength(wire, end),
  };
}

/** The bytes of parts of a page, with their tags. */
function sizesOf(html: string): Record<string, number> {
  const sizes = {
    styles: 0,
    "class attributes": 0,
    svg: 0,
    "data for hydration": 0,
    "structured data": 0,
    "inside noscript": 0,
  };
  const lengthOf = (at: { startOffset: number; endOffset: number } | null | undefined) =>
    at ? Buffer.byteLength(html.slice(at.startOffset, at.endOffset)) : 0;
  const visit = (node: DefaultTreeAdapterTypes.Node) => {
    if (defaultTreeAdapter.isElementNode(node)) {
      const length = lengthOf(node.sourceCodeLocation);
      // With the space before it.
      const { class: classes } = node.sourceCodeLocation?.attrs ?? {};
      if (classes) sizes["class attributes"] += lengthOf(classes) + 1;
      if (node.tagName === "style") sizes.styles += length;
      if (node.tagName === "svg") sizes.svg += length;
      if (node.tagName === "noscript") sizes["inside noscript"] += length;
      if (node.tagName === "script" && node.attrs.some(({ value }) => value === "application/ld+json"))
        sizes["structured data"] += length;
      const [text] = node.childNodes;
      if (text && defaultTreeAdapter.isTextNode(text) && text.value.startsWith("window.__reactRouterContext"))
        sizes["data for hydration"] += length;
    }
    if ("childNodes" in node) for (const child of node.childNodes) visit(child);
  };
  visit(parse(html, { sourceCodeLocationInfo: true, scriptingEnabled: false }));
  return sizes;
}

/** How much of the compressed page a browser has received when it has the first `length` bytes of the page. */
function wireLength(wire: Buffer, length: number): number {
  let [low, high] = [0, wire.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const options = { finishFlush: constants.BROTLI_OPERATION_FLUSH };
    if (brotliDecompressSync(wire.subarray(0, middle), options).length < length) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The byte of the page after the last text of its first screen. */
async function findFirstScreen(browser: Browser, url: string, html: string): Promise<number> {
  const context = await browser.newContext(PHONE);
  const page = await context.newPage();
  await page.goto(url);
  const { text, before } = await page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts: string[] = [];
    let last = 0;
    while (walker.nextNode()) {
      const { currentNode } = walker;
      const parent = currentNode.parentElement;
      // What floats over the page or is for screen readers only is not where the first screen ends.
      if (
        !currentNode.nodeValue?.trim() ||
        !parent ||
        parent.closest("script, noscript, footer, .fixed, aside")
      )
        continue;
      texts.push(currentNode.nodeValue);
      const { top, bottom, width } = parent.getBoundingClientRect();
      if (width > 1 && bottom > 0 && top < innerHeight) last = texts.length;
    }
    const shown = texts.slice(0, last);
    const found = shown.at(-1) ?? "";
    return { text: found, before: shown.filter((one) => one === found).length };
  });
  await context.close();
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  let at = html.indexOf("<body");
  for (let n = 0; n < before; n++) at = html.indexOf(`>${escaped}<`, at + 1);
  if (at < 0) throw new Error(`the page has no text: ${text}`);
  return Buffer.byteLength(html.slice(0, at + escaped.length + 1));
}
