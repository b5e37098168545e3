import { sql } from "drizzle-orm";
import { boolean, check, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import type { Language } from "#languages/languages.ts";
import { users } from "./accounts.ts";
import { bytes, createdAt, moment, primaryId, updatedAt, version } from "./columns.ts";

/** One way to buy a tool. Prices in paise, validity in whole days. */
export interface PricingOption {
  label: string;
  validityDays: number;
  pricePaise: number;
  originalPricePaise: number | null;
  /** The label in the language of the reader, where it has been read for one. It is not stored: purchases go by `label`. */
  shownLabel?: string;
}

/** One server row on a tool's page. `url` is where the buyer continues, when the owner gives one. */
export interface ToolServer {
  id: string;
  name: string;
  url: string | null;
  /** The server hands out one code for each buyer, and no other, also while it has none. */
  perBuyer?: true;
}

/** The texts of something in other languages than English, by language. A text that is absent is shown in English. */
export type Translations<Texts> = Partial<Record<Language, Texts>>;

/** What buyers read of a tool, in another language. */
export interface ToolTexts {
  name?: string | undefined;
  description?: string | undefined;
  badge?: string | undefined;
  features?: string[] | undefined;
  /** By the days of their options. */
  optionLabels?: Record<string, string> | undefined;
  howToUse?: string[] | undefined;
}

/** Where a tool works: on a phone, on a laptop; and whether it needs the browser extension. */
export type WorksOn = "phone" | "laptop" | "extension";

/**
 * Uploaded logos. A file is named after its content, so tools with the same logo share a row, and the address of a logo never
 * shows another logo. Lists of tools read the name only.
 */
export const toolLogos = pgTable(
  "tool_logos",
  {
    /** The beginning of the SHA-256 of the content, and the ending of its format. */
    name: text("name").primaryKey(),
    content: bytes("content").notNull(),
    createdAt: createdAt(),
  },
  (table) => [check("tool_logos_size", sql`octet_length(${table.content}) between 1 and 204800`)],
);

/**
 * What the shop sells. `slug` is immutable and identifies the tool in addresses. Prices in paise; without options, `pricePaise`
 * 0 means free, and with options what is charged comes from these only. A deleted tool keeps its row: active passes need its
 * page, servers and codes.
 */
export const tools = pgTable(
  "tools",
  {
    id: primaryId(),
    slug: text("slug").notNull().unique(),
    name: text("name").notNull(),
    description: text("description").notNull(),
    pricePaise: integer("price_paise").notNull(),
    originalPricePaise: integer("original_price_paise"),
    availableStock: integer("available_stock").notNull().default(0),
    /** A server hands out one code for each buyer, so that the stock is counted from the codes. */
    stockFromCodes: boolean("stock_from_codes").notNull().default(false),
    isActive: boolean("is_active").notNull().default(true),
    contactOnly: boolean("contact_only").notNull().default(false),
    features: jsonb("features").$type<string[]>().notNull().default([]),
    validityDays: integer("validity_days").notNull().default(30),
    category: text("category").notNull().default("other"),
    badge: text("badge"),
    /** null: an icon or letters by its name. */
    logo: text("logo").references(() => toolLogos.name),
    pricingOptions: jsonb("pricing_options").$type<PricingOption[]>().notNull().default([]),
    servers: jsonb("servers").$type<ToolServer[]>().notNull().default([]),
    /** Empty: unknown, and the shop says nothing about it. */
    worksOn: jsonb("works_on").$type<WorksOn[]>().notNull().default([]),
    /** How a buyer uses the tool, in at most three lines; empty: the page's own lines are shown. */
    howToUse: jsonb("how_to_use").$type<string[]>().notNull().default([]),
    /** Where the tool itself is; null when every server has its own address. */
    launchUrl: text("launch_url"),
    /** The other texts of the row are in English, and name the tool in purchases, searches of admins and the audit log. */
    translations: jsonb("translations").$type<Translations<ToolTexts>>().notNull().default({}),
    /** The service whose shared credentials the tool's page offers. */
    credentialService: text("credential_service"),
    /**
     * The credential that the tool's page offers before all others of the service. The migration has its foreign key:
     * declared here, the files of the tables would import each other.
     */
    credentialId: uuid("credential_id"),
    /** The owner sells the tool although its pass would open nothing. */
    sellsWhenNotReady: boolean("sells_when_not_ready").notNull().default(false),
    /** It has been on sale: its shop page then stays, also while it is not. The job `tell-of-stock` notes it. */
    wasOnSale: boolean("was_on_sale").notNull().default(false),
    version: version(),
    deletedAt: moment("deleted_at"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    check("tools_price_not_negative", sql`${table.pricePaise} >= 0`),
    check("tools_stock_not_negative", sql`${table.availableStock} >= 0`),
    check("tools_validity_positive", sql`${table.validityDays} > 0`),
    check("tools_slug_lower", sql`${table.slug} = lower(${table.slug})`),
    index("tools_listing_idx").on(table.pricePaise, table.name).where(sql`deleted_at is null and is_active`),
  ],
);

/**
 * Grants: which purchases open which tool page, by tool or by the tool name of a purchase (imported rows may have no
 * tool). A purchase of a tool always opens the page of its own slug; the rows here add to that.
 */
export const toolPageGrants = pgTable(
  "tool_page_openers",
  {
    id: primaryId(),
    page: text("page").notNull(),
    toolId: uuid("tool_id").references(() => tools.id),
    toolName: text("tool_name"),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("tool_page_openers_tool_key").on(table.page, table.toolId).where(sql`tool_id is not null`),
    uniqueIndex("tool_page_openers_name_key")
      .on(table.page, sql`lower(${table.toolName})`)
      .where(sql`tool_name is not null`),
    check("tool_page_openers_one", sql`num_nonnulls(${table.toolId}, ${table.toolName}) = 1`),
  ],
);

/** Percentage discounts for one tool. `usesTaken` counts held and used redemptions together, and the imported uses. */
export const couponCodes = pgTable(
  "coupon_codes",
  {
    id: primaryId(),
    /** In upper case: see `normaliseCouponCode`. */
    code: text("code").notNull(),
    toolId: uuid("tool_id")
      .notNull()
      .references(() => tools.id),
    discountPercentage: integer("discount_percentage").notNull(),
    isActive: boolean("is_active").notNull().default(true),
    usageLimit: integer("usage_limit"),
    usesTaken: integer("uses_taken").notNull().default(0),
    /** The part of `usesTaken` that an imported shop had counted. It has no redemptions. */
    importedUses: integer("imported_uses").notNull().default(0),
    expiresAt: moment("expires_at"),
    lastUsed: moment("last_used"),
    /** A deleted coupon keeps its row for its redemptions; its code can be used for a new coupon. */
    deletedAt: moment("deleted_at"),
    version: version(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index("coupon_codes_created_idx").on(table.createdAt, table.id).where(sql`deleted_at is null`),
    index("coupon_codes_tool_idx").on(table.toolId, table.createdAt, table.id).where(sql`deleted_at is null`),
    index("coupon_codes_search_idx").using("gin", table.code.op("gin_trgm_ops")),
    uniqueIndex("coupon_codes_code_key").on(sql`upper(${table.code})`).where(sql`deleted_at is null`),
    check("coupon_codes_upper_case", sql`${table.code} = upper(${table.code})`),
    check("coupon_codes_discount_range", sql`${table.discountPercentage} between 1 and 100`),
    check("coupon_codes_limit", sql`${table.usageLimit} is null or ${table.usageLimit} >= 1`),
    check("coupon_codes_taken", sql`${table.usesTaken} >= 0`),
  ],
);

/**
 * Who wants a mail when a tool is in stock again. The transaction that writes the mail deletes the row, so there is one mail.
 */
export const stockAlerts = pgTable(
  "stock_alerts",
  {
    id: primaryId(),
    toolId: uuid("tool_id")
      .notNull()
      .references(() => tools.id),
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("stock_alerts_tool_user_key").on(table.toolId, table.userId),
    // For the deletion of an account, and its download.
    index("stock_alerts_user_idx").on(table.userId),
  ],
);
