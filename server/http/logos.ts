import type { Hono } from "hono";
import { retryHeaders, toErrorMessage } from "#app/errors/error-messages.ts";
import { createKeptValues, type KeptValues } from "#core/catalog/keep-until-change.ts";
import { findLogo } from "#core/catalog/logos/tool-logos.server.ts";
import { isDatabaseUnavailable } from "#core/errors.ts";
import { ONE_YEAR, TYPES } from "./files.ts";
import type { PageParts } from "./pages.ts";
import { type AppEnv, requireRequest } from "./request-scope.ts";

/**
 * An SVG of an older version that somebody opens by its address is a document: it runs nothing, loads nothing, and has no origin.
 */
const LOGO_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/**
 * GET /logos/…: uploaded logos, to everybody, without a session, so that no answer that proxies keep has a cookie. Many
 * requests for one logo share one read.
 */
export function mountLogos(app: Hono<AppEnv>, visitorContext: PageParts["visitorContext"]): void {
  let kept: KeptValues<Buffer<ArrayBuffer> | null> | undefined;
  app.get("/logos/:name", async (c) => {
    const { address, log, requestId } = requireRequest();
    const ctx = visitorContext(c.req.raw, address, log, requestId);
    const name = c.req.param("name");
    kept ??= createKeptValues(ctx.ports.catalogueVersion, { mayBeKept: (content) => content !== null });
    try {
      const content = await (kept.share(name, () => findLogo(ctx, name)) ?? findLogo(ctx, name));
      if (content === null) return c.text("Not found.", 404, { "cache-control": "no-store" });
      return new Response(content, {
        headers: {
          "content-type": TYPES[name.slice(name.lastIndexOf(".") + 1)] ?? "",
          "content-length": String(content.length),
          "content-security-policy": LOGO_POLICY,
          "cache-control": ONE_YEAR,
        },
      });
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      const { message, status } = toErrorMessage(error);
      return new Response(message, {
        status,
        headers: { "cache-control": "no-store", ...retryHeaders(error) },
      });
    }
  });
}
