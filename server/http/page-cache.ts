import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { defaultTreeAdapter, parse } from "parse5";
import { hasSessionCookie } from "#adapters/better-auth/auth.ts";
import { withoutLinkParams } from "#app/storefront/link-params.ts";
import { createKeptValues, MAX_KEYS } from "#core/catalog/keep-until-change.ts";
import type { LiveUpdates, Topic } from "#core/live/topics.ts";
import type { CatalogueVersion } from "#core/ports.ts";
import { LANGUAGE_CODES, type Language } from "#languages/languages.ts";
import { chooseEncoding, compress, STORED_ENCODINGS } from "./files.ts";
import { languageOf } from "./request-language.ts";

/** The public pages. Without searches and categories: there is no limit to the number of their addresses. */
const PUBLIC =
  /^\/(?:shop\/[a-z0-9-]{1,100}|terms|refunds|privacy|contact|sitemap\.xml|robots\.txt|manifest\.webmanifest)?$/;

/** What allows the inline scripts and styles of a page in its policy: `'nonce-…'` or `'sha256-…'`. */
export interface InlineSources {
  scripts: readonly string[];
  styles: readonly string[];
}

/**
 * The number of other kept values for each language, because visitors of all languages ask for the same addresses. The languages
 * share the places. A page of a tool with its two compressed forms is about 90 KB, so all are about 18 MB in two languages; nothing
 * else bounds the bytes. Only the home page and the sitemap grow with the number of tools.
 */
const MAX_PAGES = MAX_KEYS * LANGUAGE_CODES.length;

/** What the answer to an address depends on. */
const VARY = "Cookie, Accept-Language, Accept-Encoding";

interface StoredBody {
  bytes: Buffer<ArrayBuffer>;
  /** Alternating names and values: Node sends a list faster than an object. The last value is the id of the request. */
  rawHeaders: string[];
}

interface StoredPage {
  headers: Record<string, string>;
  plain: StoredBody;
  br: StoredBody;
  gzip: StoredBody;
}

interface PageForVisitors {
  request: Request;
  language: Language;
  /** The nonce of the page's inline scripts and styles when it is rendered for this request. */
  nonce: string;
  /** Renders the page for a visitor. It goes on when the client leaves, because other requests wait for the page. */
  render(request: Request): Promise<Response>;
  /** The headers of the rendered page, with a policy that allows these inline scripts and styles. */
  headersFor(inline: InlineSources): Record<string, string>;
}

export interface PageCache {
  /** Sends a stored page, with the id that `newRequestId` makes. @returns false when the page has to be rendered */
  answer(incoming: IncomingMessage, outgoing: ServerResponse, newRequestId: () => string): boolean;
  /**
   * The answer to a request that was not sent a stored page. One of the requests for the same page at the same time renders it,
   * and the others wait for it.
   *
   * @returns null when the page has to be rendered for this request alone
   */
  share(page: PageForVisitors): Promise<Response | null>;
}

/** Keeps the public pages as visitors see them, rendered and compressed, under the rules of `createKeptValues`. */
export function createPageCache(catalogueVersion: CatalogueVersion, now?: () => number): PageCache {
  /** By language and path. null: the page may not be stored. */
  const pages = createKeptValues<StoredPage | null>(catalogueVersion, {
    mayBeKept: (page) => page !== null,
    maxKeys: MAX_PAGES,
    ...(now && { now }),
  });
  /** The last header, because most browsers send the same one. */
  let lastAccepted: { header: string; encoding: (typeof STORED_ENCODINGS)[number] | null } | undefined;
  const encodingFor = (header: string) => {
    if (lastAccepted?.header !== header)
      lastAccepted = { header, encoding: chooseEncoding(header, STORED_ENCODINGS) };
    return lastAccepted.encoding;
  };

  return {
    answer({ method, url = "", headers }, outgoing, newRequestId) {
      if (method !== "GET") return false;
      if (hasSessionCookie(headers.cookie)) return false;
      const page = pages.find(keyOf(pageOf(url), languageOf(headers)));
      if (!page) return false;
      const { bytes, rawHeaders } = page[encodingFor(String(headers["accept-encoding"] ?? "")) ?? "plain"];
      // The list is sent before another request can change it.
      rawHeaders[rawHeaders.length - 1] = newRequestId();
      outgoing.writeHead(200, rawHeaders);
      outgoing.end(bytes);
      return true;
    },

    async share({ request, language, nonce, render, headersFor }) {
      const { pathname, search } = new URL(request.url);
      const path = pageOf(pathname + search);
      if (request.method !== "GET" || !PUBLIC.test(path) || hasSessionCookie(request.headers.get("cookie")))
        return null;
      let rendersItself = false;
      let notStored: Response | null = null;
      const makePage = async () => {
        rendersItself = true;
        // A stored page may depend on the language only. So no header and no parameter of the first link is passed on.
        const response = await render(new Request(new URL(path, request.url)));
        if (mayBeStored(response)) return toStoredPage(response, nonce, headersFor);
        notStored = response;
        return null;
      };
      try {
        const page = await pages.share(keyOf(path, language), makePage);
        return page ? new Response(page.plain.bytes, { headers: page.headers }) : notStored;
      } catch (error) {
        if (rendersItself) throw error;
        return null;
      }
    },
  };
}

/** Links from a chat or an advertisement lead to the same page as the plain address. */
function pageOf(url: string): string {
  const at = url.indexOf("?");
  return at === -1 ? url : url.slice(0, at) + withoutLinkParams(url.slice(at));
}

const keyOf = (path: string, language: Language) => `${language} ${path}`;

function mayBeStored({ status, headers }: Response): boolean {
  return status === 200 && !headers.has("set-cookie") && !/no-store/.test(headers.get("cache-control") ?? "");
}

/** The nonce stays in the page. It allows nothing, because the policy has hashes in its place. */
async function toStoredPage(
  response: Response,
  nonce: string,
  headersFor: PageForVisitors["headersFor"],
): Promise<StoredPage> {
  const body = Buffer.from(await response.arrayBuffer());
  const [br, gzip] = await Promise.all([compress(body, "br"), compress(body, "gzip")]);
  const isHtml = response.headers.get("content-type")?.startsWith("text/html");
  const inline = isHtml ? hashInlineSources(body.toString(), nonce) : { scripts: [], styles: [] };
  const headers = { ...headersFor(inline), ...Object.fromEntries(response.headers) };
  const toBody = (bytes: Buffer<ArrayBuffer>, encoding: string[] = []): StoredBody => ({
    bytes,
    rawHeaders: [
      ...Object.entries({ ...headers, vary: VARY }).flat(),
      ...encoding,
      "content-length",
      String(bytes.length),
      "x-request-id",
      "",
    ],
  });
  return {
    headers,
    plain: toBody(body),
    br: toBody(br, ["content-encoding", "br"]),
    gzip: toBody(gzip, ["content-encoding", "gzip"]),
  };
}

/**
 * The hashes of the inline scripts and styles that carry the nonce. A script without it, such as a script in a stored text, gets
 * no hash and stays blocked. The page is parsed by the rules of browsers, so that the hashed text is the text that they hash.
 */
export function hashInlineSources(html: string, nonce: string): InlineSources {
  const hashes = { script: new Set<string>(), style: new Set<string>() };
  parse(html, {
    treeAdapter: {
      ...defaultTreeAdapter,
      /** Called at the end of each element. */
      onItemPop({ tagName, attrs, childNodes }) {
        if (tagName !== "script" && tagName !== "style") return;
        if (!attrs.some(({ name, value }) => name === "nonce" && value === nonce)) return;
        const text = childNodes.map((child) => ("value" in child ? child.value : "")).join("");
        // An element without a text has its code in a file.
        if (text !== "")
          hashes[tagName].add(`'sha256-${createHash("sha256").update(text).digest("base64")}'`);
      },
    },
  });
  return { scripts: [...hashes.script], styles: [...hashes.style] };
}

/** What the public pages show. */
const SHOWN_TOPICS: ReadonlySet<Topic> = new Set(["tools", "stock", "settings"]);

/**
 * The version grows when a write calls `changed()` of db/transaction.ts for a table with one of these topics, here or in
 * another process.
 *
 * @param changes.onAnnounce calls with the topics of each change that this process makes, before other processes hear of it
 */
export function followCatalogue(
  changes: LiveUpdates & { onAnnounce(listener: (topics: readonly Topic[]) => void): void },
): CatalogueVersion {
  let version = 0;
  changes.onAnnounce((topics) => {
    if (topics.some((topic) => SHOWN_TOPICS.has(topic))) version++;
  });
  changes.subscribe((event) => {
    if (event.kind !== "changed" || SHOWN_TOPICS.has(event.topic)) version++;
  });
  return () => (changes.isListening() ? version : null);
}
