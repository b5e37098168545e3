import { shopContext } from "../../request/request-context.ts";
import type { Route } from "./+types/robots";

const PRIVATE = [
  "/admin",
  "/dashboard",
  "/tools/",
  "/aihumanizer",
  "/account",
  "/auth/",
  "/api/",
  "/checkout/",
];

/** What search engines may read. */
export function loader({ context }: Route.LoaderArgs): Response {
  const { origin } = context.get(shopContext).store;
  const lines = [
    "User-agent: *",
    "Allow: /",
    ...PRIVATE.map((path) => `Disallow: ${path}`),
    `Sitemap: ${origin}/sitemap.xml`,
  ];
  return new Response(`${lines.join("\n")}\n`, { headers: { "content-type": "text/plain; charset=utf-8" } });
}
