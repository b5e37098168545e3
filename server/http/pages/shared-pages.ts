import { randomBytes } from "node:crypto";
import type { PageReader, PageUser } from "#app/middleware/request-context.ts";
import type { CatalogueVersion } from "#core/catalog/catalogue-version.ts";
import { createKeptValues } from "#core/catalog/kept-values.ts";
import { compressedResponse } from "../compress-response.ts";
import { type AnsweredPage, isPublicPage, mayBeStored } from "./public-page.ts";

/** A page rendered for a signed-in user who does not exist. */
export interface TemplateRequest {
  request: Request;
  reader: PageReader;
  nonce: string;
}

export interface SharedPages {
  /**
   * The page for a signed-in reader, without rendering it.
   *
   * @param page.nonce of the answer
   * @param page.render renders the page for `template.reader` and no other account
   * @returns null when the page has to be rendered for this reader alone
   */
  answer(page: {
    request: Request;
    reader: PageReader;
    nonce: string;
    render(template: TemplateRequest): Promise<AnsweredPage>;
  }): Promise<AnsweredPage | null>;
}

type Field = "nonce" | "email" | "displayName";

interface Template {
  /** The page between its fields: one more than there are fields. */
  parts: Buffer[];
  fields: Field[];
  headers: Record<string, string>;
  videoUrl: string | null;
}

/**
 * Public pages look the same for all signed-in users without a pass, apart from their name and address in the data of the
 * page. Such a page is rendered for an invented user, is kept as `createKeptValues` does, and gets the name and the address
 * of each reader. Rendering has access to no account, so that nothing of a reader can stay in it.
 */
export function createSharedPages(catalogueVersion: CatalogueVersion): SharedPages {
  /** By role and address. null: the page cannot be shared. */
  const templates = createKeptValues<Template | null>(catalogueVersion, {
    mayBeKept: (template) => template !== null,
  });
  /** Kept apart: there is no limit to the addresses of pages that do not exist, and they would push templates out. */
  const notShared = createKeptValues<true>(catalogueVersion);

  return {
    async answer({ request, reader, nonce, render }) {
      const { pathname, search } = new URL(request.url);
      if (request.method !== "GET" || !isPublicPage(pathname + search)) return null;
      const [user, accessUntil] = await Promise.all([reader.user(), reader.accessUntil()]);
      if (user === null || accessUntil.size > 0) return null;
      const key = `${user.isAdmin} ${request.url}`;
      if (notShared.find(key)) return null;
      const template = await templates.share(key, () =>
        makeTemplate(new Request(request.url), user.isAdmin, render),
      );
      if (template === null) {
        await notShared.share(key, async () => true);
        return null;
      }
      // Here and not with all other answers, which would copy the page twice before.
      const response = await compressedResponse(
        fill(template, user, nonce),
        { status: 200, headers: new Headers(template.headers) },
        request.headers.get("accept-encoding") ?? undefined,
      );
      return { response, videoUrl: template.videoUrl };
    },
  };
}

async function makeTemplate(
  request: Request,
  isAdmin: boolean,
  render: (template: TemplateRequest) => Promise<AnsweredPage>,
): Promise<Template | null> {
  // Letters and digits, which no syntax of a page changes. Nobody can know them and put them into a text of the shop.
  const [nonce, email, displayName] = ["nonce", "email", "name"].map(
    (name) => `${name}${randomBytes(16).toString("hex")}`,
  ) as [string, string, string];
  const user: PageUser = { email, displayName, isAdmin };
  const { response, videoUrl } = await render({
    request,
    nonce,
    reader: { user: async () => user, accessUntil: async () => new Map() },
  });
  if (!mayBeStored(response) || !response.headers.get("content-type")?.startsWith("text/html")) return null;
  const html = await response.text();
  const names: Record<string, Field> = {
    [nonce]: "nonce",
    [inScript(email)]: "email",
    [inScript(displayName)]: "displayName",
  };
  // In the data of the page a text stands between two escaped quotation marks.
  const pieces = html.split(new RegExp(`(${nonce}|\\\\"${email}\\\\"|\\\\"${displayName}\\\\")`));
  const parts = pieces.filter((_, at) => at % 2 === 0);
  // A name outside of the page's data would need another way of writing it.
  if (parts.some((part) => part.includes(email) || part.includes(displayName))) return null;
  const fields = pieces.flatMap((piece, at) => (at % 2 === 1 ? (names[piece] ?? []) : []));
  return {
    parts: parts.map((part) => Buffer.from(part)),
    fields,
    // Each answer has a name and an address, whatever the page says.
    headers: { ...Object.fromEntries(response.headers), "cache-control": "private, no-cache" },
    videoUrl,
  };
}

function fill(
  { parts, fields }: Template,
  { email, displayName }: PageUser,
  nonce: string,
): Buffer<ArrayBuffer> {
  const values = {
    nonce: Buffer.from(nonce),
    email: Buffer.from(inScript(email)),
    displayName: Buffer.from(inScript(displayName)),
  };
  return Buffer.concat(
    parts.flatMap((part, at) => {
      const field = fields[at];
      return field === undefined ? [part] : [part, values[field]];
    }),
  );
}

/** A text of the page's data as the router writes it: in JSON, as a part of a string of JavaScript, inside a script. */
function inScript(text: string): string {
  return JSON.stringify(JSON.stringify(text))
    .slice(1, -1)
    .replace(/[&<>\u2028\u2029]/g, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
