import { execFileSync } from "node:child_process";
import { brotliDecompressSync, constants } from "node:zlib";
import type { Browser } from "@playwright/test";

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
  const sum = (pattern: RegExp, text = html) => Buffer.byteLength((text.match(pattern) ?? []).join(""));
  const body = html.slice(html.indexOf("<body"));
  const end = await findFirstScreen(browser, url, html);
  return {
    html: Buffer.byteLength(html),
    styles: sum(/<style[^>]*>.*?<\/style>/gs),
    "class attributes": sum(/ class="[^"]*"/g, body),
    svg: sum(/<svg.*?<\/svg>/gs),
    "data for hydration": sum(/<script[^>]*>window\.__reactRouterContext.*?<\/script>/gs),
    "structured data": sum(/<script type="application\/ld\+json".*?<\/script>/gs),
    "inside noscript": sum(/<noscript>.*?<\/noscript>/gs),
    wire: wire.length,
    "wire with headers": headers + wire.length,
    "first screen ends in the html at": end,
    "first screen ends on the wire at": headers + wireLength(wire, end),
  };
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
