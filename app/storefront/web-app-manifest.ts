import type { Accent } from "#core/catalog/limits.ts";
import { readStoreSettings } from "#core/catalog/store-settings.server.ts";
import { LANGUAGES } from "#languages/languages.ts";
import { shopContext } from "../request/request-context.ts";
import { currentLanguage } from "../ui/texts/texts.ts";
import type { Route } from "./+types/web-app-manifest";

/** The tones of `--marigold` in the light scheme of `app/ui/theme.css`. */
export const ACCENT_COLOURS: Readonly<Record<Accent, string>> = {
  marigold: "#f4a921",
  coral: "#ff9a80",
  mint: "#5cc99a",
  sky: "#70b8f5",
  lilac: "#bda6f7",
};

/** `--paper` of `app/ui/theme.css`. A manifest has one colour for both schemes. */
const PAPER = "#faf9f6";

/** What a browser needs to put the shop on a home screen (W3C Web Application Manifest). */
export async function loader({ context }: Route.LoaderArgs): Promise<Response> {
  const { name, accent } = await readStoreSettings(context.get(shopContext));
  const icon = (src: string, size: number, purpose: "any" | "maskable") => ({
    src,
    sizes: `${size}x${size}`,
    type: "image/png",
    purpose,
  });
  const manifest = {
    // Without it the start address would identify the app, and could not change.
    id: "/",
    name,
    short_name: name,
    lang: LANGUAGES[currentLanguage()].tag,
    // Buyers open the app for their passes. Without a session the dashboard redirects to the home page.
    start_url: "/dashboard",
    scope: "/",
    display: "standalone",
    theme_color: ACCENT_COLOURS[accent],
    background_color: PAPER,
    icons: [
      icon("/icon-192.png", 192, "any"),
      icon("/icon-512.png", 512, "any"),
      icon("/icon-maskable-512.png", 512, "maskable"),
    ],
  };
  return Response.json(manifest, { headers: { "content-type": "application/manifest+json" } });
}
