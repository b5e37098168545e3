import { isDeepStrictEqual } from "node:util";
import type { PricingOption, ToolServer } from "#db/tables/catalog.ts";
import type { Cipher } from "../../ports.ts";
import { openAccessCode, openPassword } from "../../vault/seal-secrets.ts";
import { normaliseServerName } from "../code-stock.server.ts";
import { DEFAULT_STORE_NAME } from "../store-settings.server.ts";
import { findCheapestOption } from "../tool-prices.ts";
import type { Shop, ShopTool } from "./read-shop.server.ts";

/**
 * The catalogue file of a shop. The same shop gives the same text, byte for byte.
 *
 * @param cipher opens access codes and passwords, which the file then has in plain text; null: they are left out
 * @returns `leftOut` counts the access codes that no server of their tool has, or that are there twice
 */
export function writeCatalogueFile(shop: Shop, cipher: Cipher | null): { text: string; leftOut: number } {
  const codes = cipher === null ? [] : writeAccessCodes(shop, cipher);
  const written = codes.flatMap((code) => code ?? []);
  const document = {
    store: writeStore(shop),
    tools: shop.tools.map(writeTool),
    pages: shop.tools.flatMap(({ slug }) => {
      const page = shop.pages.get(slug);
      return page === undefined ? [] : [{ page: slug, ...page }];
    }),
    ...(cipher !== null && { accessCodes: written, credentials: writeCredentials(shop, cipher) }),
    coupons: shop.coupons
      .filter(({ toolDeletedAt }) => toolDeletedAt === null)
      .map(({ code, toolSlug, discountPercentage, usageLimit, expiresAt, isActive }) => ({
        code: code.toUpperCase(),
        toolSlug,
        discountPercentage,
        usageLimit: usageLimit ?? undefined,
        expiresAt: expiresAt?.toISOString(),
        isActive,
      })),
  };
  return { text: `${JSON.stringify(document, null, 2)}\n`, leftOut: codes.length - written.length };
}

/** Keys in one order, whatever the order of the database is. */
function writeStore({ store, tools }: Shop) {
  const { name = DEFAULT_STORE_NAME, claims, supportPhones = [], dealsChannel } = store ?? {};
  const { devices, adminSessions, texts } = store ?? {};
  const giveaway = store?.giveawayToolSlug;
  return {
    name,
    claims: {
      rating: claims?.rating,
      users: claims?.users,
      tools: claims?.tools,
      satisfaction: claims?.satisfaction,
      support: claims?.support,
    },
    supportPhones: supportPhones.map(({ label, number }) => ({ label, number })),
    dealsChannel: dealsChannel && { label: dealsChannel.label, url: dealsChannel.url },
    demoVideoUrl: store?.demoVideoUrl,
    giveawayToolSlug: tools.some(({ slug }) => slug === giveaway) ? giveaway : undefined,
    giveawayValidityDays: store?.giveawayValidityDays,
    devices: devices && { perUser: devices.perUser, releasesPer30Days: devices.releasesPer30Days },
    adminSessions: adminSessions && { idleHours: adminSessions.idleHours, maxDays: adminSessions.maxDays },
    texts: texts && {
      terms: texts.terms,
      refund: texts.refund,
      privacy: texts.privacy,
      contact: texts.contact,
    },
  };
}

function writeTerms({ pricePaise, originalPricePaise, validityDays }: Omit<PricingOption, "label">) {
  const hasOriginal = originalPricePaise !== null && originalPricePaise >= pricePaise;
  const originalPrice = hasOriginal ? originalPricePaise / 100 : undefined;
  return { validityDays, price: pricePaise / 100, originalPrice };
}

function writeTool(tool: ShopTool) {
  const { slug, name, description, category, isActive, contactOnly, availableStock, features } = tool;
  const cheapest = findCheapestOption(tool.pricingOptions);
  const servers: ToolServer[] =
    tool.servers.length > 0 ? tool.servers : [{ id: `${slug}-server-1`, name: "Server 1", url: null }];
  return {
    ...{ slug, name, description, category, badge: tool.badge ?? undefined, isActive, contactOnly },
    ...{ availableStock, features },
    ...(isDeepStrictEqual(writeTerms(tool), cheapest && writeTerms(cheapest)) ? {} : writeTerms(tool)),
    pricingOptions:
      cheapest && tool.pricingOptions.map((option) => ({ label: option.label, ...writeTerms(option) })),
    servers: servers.map(({ id, name, url, perBuyer }) => ({ id, name, url: url ?? undefined, perBuyer })),
    worksOn: tool.worksOn.length > 0 ? tool.worksOn : undefined,
    howToUse: tool.howToUse.length > 0 ? tool.howToUse : undefined,
    launchUrl: tool.launchUrl ?? undefined,
    credentialService: tool.credentialService ?? undefined,
  };
}

/** null for a code that a catalogue file cannot have. */
function writeAccessCodes({ tools, accessCodes }: Shop, cipher: Cipher) {
  const written = new Set<string>();
  return tools.flatMap(({ slug, servers }) =>
    accessCodes
      .filter(({ toolSlug }) => toolSlug === slug)
      .map((row) => {
        const serverName = normaliseServerName(row.serverName);
        const server = servers.find(({ name }) => normaliseServerName(name) === serverName);
        // A code that a pass has taken is of no use to another shop.
        if (server === undefined || row.passId !== null || written.has(row.simpleCodeHash)) return null;
        written.add(row.simpleCodeHash);
        const codes = openAccessCode(cipher, row);
        return {
          toolSlug: slug,
          serverName: server.name,
          ...codes,
          perBuyer: row.perBuyer || undefined,
          isActive: row.isActive,
        };
      }),
  );
}

function writeCredentials({ credentials }: Shop, cipher: Cipher) {
  return credentials.map((row) => ({
    service: row.service,
    email: row.email,
    password: openPassword(cipher, row),
    isActive: row.isActive,
  }));
}
