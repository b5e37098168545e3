import { listActiveTools } from "#core/catalog/on-sale.server.ts";
import { readStoreSettings } from "#core/catalog/store-settings.server.ts";
import { shopContext } from "../../request/request-context.ts";
import { shopPath } from "../catalogue/catalogue-params.ts";
import type { Route } from "./+types/sitemap";

/** The public pages of the shop (sitemaps.org, version 0.9). */
export async function loader({ context }: Route.LoaderArgs): Promise<Response> {
  const ctx = context.get(shopContext);
  const [tools, { pages }] = await Promise.all([listActiveTools(ctx), readStoreSettings(ctx)]);
  const paths = ["/", ...tools.map(({ slug }) => shopPath(slug)), ...pages.map((page) => `/${page}`)];
  const urls = paths.map((path) => `<url><loc>${escapeXml(ctx.store.origin + path)}</loc></url>`);
  return new Response(
    `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join("")}</urlset>\n`,
    { headers: { "content-type": "application/xml; charset=utf-8" } },
  );
}

function escapeXml(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
}
