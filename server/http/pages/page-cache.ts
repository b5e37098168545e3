import type { IncomingMessage, ServerResponse } from "node:http";
import type { CatalogueVersion } from "#core/catalog/catalogue-version.ts";
import { createKeptValues } from "#core/catalog/kept-values.ts";
import { chooseEncoding, compress, STORED_ENCODINGS } from "../compress-response.ts";
import { hasSessionCookie } from "../session-cookie.ts";
import {
  type AnsweredPage,
  type InlineSources,
  isPublicPage,
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
}

export interface PageCache {
  /** Sends a stored page, with the id that `newRequestId` makes. @returns false when the page has to be rendered */
  answer(incoming: IncomingMessage, outgoing: ServerResponse, newRequestId: () => string): boolean;
  /**
   * The answer to a request that was not sent a stored page. Of requests for the same page at the same time one renders,
   * and the others wait for it.
   *
   * @param page.nonce of this answer when it is rendered
   * @param page.render renders the page of `request` for a visitor. It goes on when the client leaves, because other
   * requests wait for the page
   * @returns null when the page has to be rendered for this request alone
   */
  share(page: {
    request: Request;
    nonce: string;
    render(request: Request): Promise<AnsweredPage>;
  }): Promise<Response | null>;
}

interface PageCacheOptions {
  catalogueVersion: CatalogueVersion;
  /** The headers of a page with these inline scripts and styles. */
  headersFor(inline: InlineSources, videoUrl: string | null): Record<string, string>;
  now?: () => number;
}

/** Keeps the public pages as visitors see them, compressed, as `createKeptValues` does. */
export function createPageCache({ catalogueVersion, headersFor, now }: PageCacheOptions): PageCache {
  /** By path. null: the page may not be stored. */
  const pages = createKeptValues<StoredPage | null>(catalogueVersion, {
    mayBeKept: (page) => page !== null,
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
      const page = pages.find(url);
      if (!page || hasSessionCookie(headers.cookie)) return false;
      const { bytes, rawHeaders } = page[encodingFor(String(headers["accept-encoding"] ?? "")) ?? "plain"];
      // The list is sent before another request can change it.
      rawHeaders[rawHeaders.length - 1] = newRequestId();
      outgoing.writeHead(200, rawHeaders);
      outgoing.end(bytes);
      return true;
    },

    async share({ request, nonce, render }) {
      const { pathname, search } = new URL(request.url);
      const path = pathname + search;
      if (request.method !== "GET" || !isPublicPage(path) || hasSessionCookie(request.headers.get("cookie")))
        return null;
      let rendersItself = false;
      /** As this request has rendered it, with its nonce. */
      let rendered: Response | undefined;
      const makePage = async () => {
        rendersItself = true;
        // Nothing of a stored page may depend on the browser that asked first, so none of its headers is passed on.
        const { response, videoUrl } = await render(new Request(request.url));
        rendered = response;
        if (!mayBeStored(response)) return null;
        const { status, headers } = response;
        const body = Buffer.from(await response.arrayBuffer());
        rendered = new Response(body, { status, headers });
        return toStoredPage(body, headers, nonce, (inline) => headersFor(inline, videoUrl));
      };
      try {
        const page = await pages.share(path, makePage);
        if (rendered !== undefined) return rendered;
        return page ? new Response(new Uint8Array(page.plain.bytes), { headers: page.headers }) : null;
      } catch (error) {
        if (rendersItself) throw error;
        return null;
      }
    },
  };
}

async function toStoredPage(
  body: Buffer,
  ownHeaders: Headers,
  nonce: string,
  headersFor: (inline: InlineSources) => Record<string, string>,
): Promise<StoredPage> {
  const { html, inline } = replaceNonce(body.toString("utf8"), nonce);
  const plain = Buffer.from(html);
  const [br, gzip] = await Promise.all([compress(plain, "br"), compress(plain, "gzip")]);
  const headers = {
    ...headersFor(inline),
    ...Object.fromEntries(ownHeaders),
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
