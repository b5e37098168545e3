import type { IncomingMessage, ServerResponse } from "node:http";
import type { CatalogueVersion } from "#core/catalog/catalogue-version.ts";
import { chooseEncoding, compress, STORED_ENCODINGS } from "../compress-response.ts";
import { hasSessionCookie } from "../session-cookie.ts";
import {
  FRESH_MS,
  type InlineSources,
  isPublicPage,
  MAX_PAGES,
  mayBeStored,
  replaceNonce,
} from "./public-page.ts";

interface StoredBody {
  bytes: Buffer;
  /** Names and values in turn: Node sends a list faster than an object. The last value is the id of the request. */
  rawHeaders: string[];
}

interface StoredPage {
  headers: Record<string, string>;
  plain: StoredBody;
  br: StoredBody;
  gzip: StoredBody;
  storedAt: number;
  /** Of the catalogue that it shows. */
  version: number;
}

/** A page that is being rendered for the cache. */
export interface Filling {
  /** What to render. It goes on when the client leaves, because other requests wait for the page. */
  request: Request;
  /** Stores the answer if it may be stored. @returns an equal answer */
  store(response: Response, page: { nonce: string; videoUrl: string | null }): Promise<Response>;
  /** To be called when the request has ended, stored or not. */
  end(): void;
}

export interface PageCache {
  /** Sends a stored page, with the id that `newRequestId` makes. @returns false when the page has to be rendered */
  answer(incoming: IncomingMessage, outgoing: ServerResponse, newRequestId: () => string): boolean;
  /**
   * For a request that has to be rendered. Waits for another request that renders the same page, and returns its answer.
   * null: the page is not stored.
   */
  begin(request: Request): Promise<Filling | Response | null>;
}

interface PageCacheOptions {
  catalogueVersion: CatalogueVersion;
  /** The headers of a page with these inline scripts and styles. */
  headersFor(inline: InlineSources, videoUrl: string | null): Record<string, string>;
  now?: () => number;
}

/**
 * Keeps the public pages as visitors see them, compressed, until the catalogue or the settings change. While changes are
 * not heard, nothing is stored.
 */
export function createPageCache({ catalogueVersion, headersFor, now }: PageCacheOptions): PageCache {
  const clock = now ?? (() => performance.now());
  const pages = new Map<string, StoredPage>();
  const fillings = new Map<string, Promise<void>>();

  const find = (key: string): StoredPage | null => {
    const page = pages.get(key);
    if (page === undefined || page.version !== catalogueVersion()) return null;
    // While a fresh page is being rendered, others get the last one, so that they do not all render it.
    return clock() - page.storedAt < FRESH_MS || fillings.has(key) ? page : null;
  };
  /** The last header, because most browsers send the same one. */
  let lastAccepted: { header: string; encoding: (typeof STORED_ENCODINGS)[number] | null } | undefined;
  const encodingFor = (header: string) => {
    if (lastAccepted?.header !== header)
      lastAccepted = { header, encoding: chooseEncoding(header, STORED_ENCODINGS) };
    return lastAccepted.encoding;
  };
  const keep = (key: string, page: StoredPage) => {
    pages.delete(key);
    const [oldest] = pages.keys();
    if (pages.size >= MAX_PAGES && oldest !== undefined) pages.delete(oldest);
    pages.set(key, page);
  };

  return {
    answer({ method, url = "", headers }, outgoing, newRequestId) {
      if (method !== "GET" || !pages.has(url) || hasSessionCookie(headers.cookie)) return false;
      const page = find(url);
      if (page === null) return false;
      const { bytes, rawHeaders } = page[encodingFor(String(headers["accept-encoding"] ?? "")) ?? "plain"];
      // The list is sent before another request can change it.
      rawHeaders[rawHeaders.length - 1] = newRequestId();
      outgoing.writeHead(200, rawHeaders);
      outgoing.end(bytes);
      return true;
    },

    async begin(request) {
      const { pathname, search } = new URL(request.url);
      const key = pathname + search;
      if (request.method !== "GET" || !isPublicPage(key) || hasSessionCookie(request.headers.get("cookie")))
        return null;
      const other = fillings.get(key);
      await other;
      const page = other && find(key);
      if (page) return new Response(new Uint8Array(page.plain.bytes), { headers: page.headers });
      const version = catalogueVersion();
      if (version === null || fillings.has(key)) return null;
      let end: (() => void) | undefined;
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      fillings.set(key, ended);
      return {
        // Nothing of a stored page may depend on the browser that asked first, so none of its headers is passed on.
        request: new Request(request.url),
        async store(response, { nonce, videoUrl }) {
          if (!mayBeStored(response)) return response;
          const { status, headers } = response;
          const body = Buffer.from(await response.arrayBuffer());
          const page = await toStoredPage(body, headers, nonce, (inline) => headersFor(inline, videoUrl));
          // After a change meanwhile the page may show the state before it.
          if (catalogueVersion() === version) keep(key, { ...page, storedAt: clock(), version });
          return new Response(body, { status, headers });
        },
        end() {
          fillings.delete(key);
          end?.();
        },
      };
    },
  };
}

async function toStoredPage(
  body: Buffer,
  ownHeaders: Headers,
  nonce: string,
  headersFor: (inline: InlineSources) => Record<string, string>,
): Promise<Omit<StoredPage, "storedAt" | "version">> {
  const { html, inline } = replaceNonce(body.toString("utf8"), nonce);
  const plain = Buffer.from(html);
  const [br, gzip] = await Promise.all([compress(plain, "br"), compress(plain, "gzip")]);
  const headers = {
    ...headersFor(inline),
    ...Object.fromEntries(ownHeaders),
    "cache-control": ownHeaders.get("cache-control") ?? "private, no-cache",
    vary: "Cookie, Accept-Encoding",
  };
  const toBody = (bytes: Buffer, encoding: string[] = []): StoredBody => ({
    bytes,
    rawHeaders: [
      ...Object.entries(headers).flat(),
      ...encoding,
      ...["content-length", String(bytes.length), "x-request-id", ""],
    ],
  });
  return {
    headers,
    plain: toBody(plain),
    br: toBody(br, ["content-encoding", "br"]),
    gzip: toBody(gzip, ["content-encoding", "gzip"]),
  };
}
