import { createHash } from "node:crypto";

/** The public pages. Without searches and categories: there is no limit to the number of their addresses. */
const PUBLIC = /^\/(?:shop\/[a-z0-9-]{1,100}|terms|refunds|privacy|contact|sitemap\.xml|robots\.txt)?$/;

export interface AnsweredPage {
  response: Response;
  /** The demo video that the page shows; null on one without. */
  videoUrl: string | null;
}

/** The sources of the inline scripts and styles of a page, for its policy: `'sha256-…'`. */
export interface InlineSources {
  scripts: readonly string[];
  styles: readonly string[];
}

/** @param path with the query */
export const isPublicPage = (path: string): boolean => PUBLIC.test(path);

export function mayBeStored({ status, headers }: Response): boolean {
  return status === 200 && !headers.has("set-cookie") && !/no-store/.test(headers.get("cache-control") ?? "");
}

/**
 * Replaces the nonce of a page by the hashes of the inline scripts and styles that carry it. A script without the nonce,
 * such as one in a stored text, gets no hash and stays blocked.
 */
export function replaceNonce(html: string, nonce: string): { html: string; inline: InlineSources } {
  const scripts = new Set<string>();
  const styles = new Set<string>();
  const attribute = ` nonce="${nonce}"`;
  const tags = /<(script|style)(\s[^>]*)>([\s\S]*?)<\/\1>/g;
  for (const [, name, attributes = "", content = ""] of html.matchAll(tags)) {
    if (!attributes.includes(attribute) || content === "") continue;
    const source = `'sha256-${createHash("sha256").update(content).digest("base64")}'`;
    (name === "script" ? scripts : styles).add(source);
  }
  return {
    html: html.replaceAll(attribute, ""),
    inline: { scripts: [...scripts], styles: [...styles] },
  };
}
