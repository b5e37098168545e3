import { createHash } from "node:crypto";
import { findToolLogo } from "#core/catalog/logos/tool-logos.server.ts";
import { type CatalogueCard, listActiveTools } from "#core/catalog/on-sale.server.ts";
import { readStoreSettings } from "#core/catalog/store-settings.server.ts";
import type { Context } from "#core/context.ts";
import { formatPaise } from "#core/money.ts";
import { monogramsOnSale } from "../../shared-data.server.ts";
import { lookOfTile, monogramOf } from "../../ui/logo-tile.tsx";
import { findBrandIcon } from "../tool-logo.tsx";

/** What the share image of a tool shows. It is in English, whatever the language of the page. */
export interface ShareImageContent {
  name: string;
  /** "₹49", "from ₹49" or "Free". */
  price: string;
  shop: string;
  /** The name of an uploaded logo, shown instead of the tile. */
  logo: string | null;
  tile: {
    /** In degrees, as in `lookOfTile`. */
    hue: number;
    isSolid: boolean;
    /** An SVG path, 24 × 24, shown instead of the letters. */
    icon: string | null;
    letters: string;
  };
}

/** Raised with a change of how images are drawn, so that they get new addresses. */
const DRAWING = 1;

/**
 * The share image of a tool on sale: what it shows, and its path. The path has a hash of the content, so that a new price or logo
 * is a new address, which chat apps have not stored.
 */
export async function describeShareImage(
  ctx: Context,
  tool: CatalogueCard,
): Promise<{ path: string; content: ShareImageContent }> {
  const { slug, name, pricePaise, hasOptions } = tool;
  const [{ name: shop }, logo, onSale] = await Promise.all([
    readStoreSettings(ctx),
    findToolLogo(ctx, name),
    listActiveTools(ctx),
  ]);
  const letters = new Map(Object.entries(monogramsOnSale(onSale)));
  const { hue, isSolid } = lookOfTile(name);
  const price = `${hasOptions ? "from " : ""}${formatPaise(pricePaise)}`;
  const content = {
    name,
    price: pricePaise === 0 ? "Free" : price,
    shop,
    logo,
    tile: {
      hue,
      isSolid,
      icon: findBrandIcon(name),
      letters: letters.get(name.toLowerCase()) ?? monogramOf(name),
    },
  };
  const hash = createHash("sha256")
    .update(JSON.stringify([DRAWING, content]))
    .digest("hex");
  return { path: `/share/${slug}-${hash.slice(0, 16)}.png`, content };
}
