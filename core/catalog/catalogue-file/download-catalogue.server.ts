import { z } from "zod";
import { lockEdits } from "#db/edit-lock.ts";
import type { PricingOption, ToolServer, Translations } from "#db/tables/catalog.ts";
import { inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../../audit/record-audit.server.ts";
import { requireAdmin } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { checkbox } from "../../form-fields.ts";
import { parseInput, type UntrustedInput } from "../../parse.ts";
import type { Cipher } from "../../ports.ts";
import { openAccessCode, openPassword } from "../../vault/seal-secrets.ts";
import { COUPON_FIELDS } from "../coupon-fields.ts";
import { entryOf } from "../record-fields.ts";
import { normaliseServerName } from "../stock.server.ts";
import { DEFAULT_STORE_NAME, type StoredSettings } from "../store-settings.server.ts";
import { TOOL_FIELDS } from "../tool-fields.ts";
import { OTHER_LANGUAGES } from "../translations.ts";
import { readShop, type Shop } from "./read-shop.server.ts";

const inputSchema = z.object({ includeSecrets: checkbox });

export interface DownloadedCatalogue {
  /** The catalogue file, as docs/catalogue-file.md describes it. */
  text: string;
  /** Access codes that the file cannot have: no server of their tool has their name, or they are there twice. */
  leftOutAccessCodes: number;
}

/**
 * The catalogue file of the current shop. A fresh shop that is seeded with it has the same catalogue. With
 * `includeSecrets` it has the access codes and passwords, in plain text. Audited.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'invalid-input', 'password-needed' (with `includeSecrets`)
 */
export async function downloadCatalogue(
  ctx: Context,
  input: z.input<typeof inputSchema> | UntrustedInput,
): Promise<DownloadedCatalogue> {
  requireAdmin(ctx, "reads");
  const { includeSecrets } = parseInput(inputSchema, input);
  if (includeSecrets) requireAdmin(ctx, "reveals-secret");
  return inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    const shop = await readShop(ctx, tx);
    const { text, leftOut } = writeCatalogueFile(shop, {
      at: ctx.clock.now(),
      cipher: includeSecrets ? ctx.ports.cipher : null,
    });
    await recordAudit(ctx, tx, {
      action: "catalogue.downloaded",
      subjectType: "catalogue",
      details: { includeSecrets },
    });
    return { text, leftOutAccessCodes: leftOut };
  });
}

/**
 * The catalogue file of a shop. The same shop gives the same text at one time, byte for byte.
 *
 * @param cipher opens access codes and passwords, which the file then has in plain text; null: they are left out
 * @returns `leftOut` counts the access codes that no server of their tool has, or that are there twice
 */
function writeCatalogueFile(
  shop: Shop,
  { at, cipher }: { at: Date; cipher: Cipher | null },
): { text: string; leftOut: number } {
  const codes = cipher === null ? [] : writeAccessCodes(shop, cipher);
  const written = codes.flatMap((code) => code ?? []);
  const document = {
    downloadedAt: at.toISOString(),
    store: writeStore(shop),
    tools: shop.tools.map(writeTool),
    pages: shop.tools.flatMap(({ slug }) => {
      const page = shop.pages.get(slug);
      return page === undefined ? [] : [{ page: slug, ...page }];
    }),
    ...(cipher !== null && { accessCodes: written, credentials: writeCredentials(shop, cipher) }),
    coupons: shop.coupons
      .filter(({ toolDeletedAt }) => toolDeletedAt === null)
      .map((coupon) => {
        const { code, toolSlug } = coupon;
        return { code, toolSlug, ...entryOf(COUPON_FIELDS, coupon) };
      }),
  };
  // What is null is left out.
  const text = JSON.stringify(document, (_key, value) => value ?? undefined, 2);
  return { text: `${text}\n`, leftOut: codes.length - written.length };
}

/** Keys in one order, whatever the order of the database is. */
function writeStore({ store, tools }: Shop) {
  const { name = DEFAULT_STORE_NAME, claims, supportPhones = [], dealsChannel } = store ?? {};
  const { devices, adminSessions, seller } = store ?? {};
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
    claimsAreExamples: store?.claimsAreExamples,
    headline: store?.headline,
    accent: store?.accent,
    benefits: store?.benefits,
    seller: seller && { name: seller.name, city: seller.city, since: seller.since, gstin: seller.gstin },
    supportPhones: supportPhones.map(({ label, number }) => ({ label, number })),
    dealsChannel: dealsChannel && { label: dealsChannel.label, url: dealsChannel.url },
    demoVideoUrl: store?.demoVideoUrl,
    giveawayToolSlug: tools.some(({ slug }) => slug === giveaway) ? giveaway : undefined,
    giveawayValidityDays: store?.giveawayValidityDays,
    devices: devices && { perUser: devices.perUser, releasesPer30Days: devices.releasesPer30Days },
    adminSessions: adminSessions && { idleHours: adminSessions.idleHours, maxDays: adminSessions.maxDays },
    texts: writeTexts(store?.texts),
    translations: writeTranslations(store?.translations, ({ headline, benefits, texts }) => ({
      headline,
      benefits,
      texts: writeTexts(texts),
    })),
  };
}

const writeTexts = (texts: StoredSettings["texts"]) =>
  texts && { terms: texts.terms, refund: texts.refund, privacy: texts.privacy, contact: texts.contact };

/** undefined without any. */
function writeTranslations<Texts>(translations: Translations<Texts> = {}, write: (texts: Texts) => object) {
  const languages = OTHER_LANGUAGES.flatMap((language) => {
    const texts = translations[language];
    return texts === undefined ? [] : [[language, write(texts)]];
  });
  return languages.length === 0 ? undefined : Object.fromEntries(languages);
}

function writeTerms({ pricePaise, originalPricePaise, validityDays }: Omit<PricingOption, "label">) {
  const hasOriginal = originalPricePaise !== null && originalPricePaise >= pricePaise;
  const originalPrice = hasOriginal ? originalPricePaise / 100 : undefined;
  return { validityDays, price: pricePaise / 100, originalPrice };
}

function writeTool(tool: Shop["tools"][number]) {
  const hasOptions = tool.pricingOptions.length > 0;
  const first: ToolServer = { id: `${tool.slug}-server-1`, name: "Server 1", url: null };
  const needsServer = tool.credentialService === null;
  const servers = tool.servers.length > 0 ? tool.servers : needsServer ? [first] : undefined;
  return {
    slug: tool.slug,
    ...entryOf(TOOL_FIELDS, tool),
    ...(hasOptions
      ? { validityDays: undefined, price: undefined, originalPrice: undefined }
      : writeTerms(tool)),
    pricingOptions: hasOptions
      ? tool.pricingOptions.map((option) => ({ label: option.label, ...writeTerms(option) }))
      : undefined,
    servers: servers?.map(({ id, name, url, perBuyer }) => ({ id, name, url, perBuyer })),
    worksOn: tool.worksOn.length > 0 ? tool.worksOn : undefined,
    howToUse: tool.howToUse.length > 0 ? tool.howToUse : undefined,
    translations: writeTranslations(
      tool.translations,
      ({ name, description, badge, features, optionLabels, howToUse }) => ({
        name,
        description,
        badge,
        features,
        optionLabels,
        howToUse,
      }),
    ),
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
        const key = row.simpleCodeKey ?? row.simpleCodeHash;
        if (server === undefined || row.passId !== null || written.has(key)) return null;
        written.add(key);
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
