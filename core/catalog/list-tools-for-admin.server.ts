import { and, asc, eq, inArray, isNull, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { stockAlerts, toolPageGrants, tools } from "#db/tables/catalog.ts";
import type { Language } from "#languages/languages.ts";
import { type AuthorisedContext, requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { choice, type List, type ListInput, listFields, makeList, type PageOfIds } from "../lists/paging.ts";
import { type SortKey, selectListPage } from "../lists/select-page.server.ts";
import { IS_READY, OFFERED_PRICE } from "./on-sale.server.ts";
import { OTHER_LANGUAGES } from "./translations.ts";

const inputSchema = z.object({
  ...listFields(["createdAt", "name", "price", "stock"]),
  /** Only tools that lack a text in this language. */
  missing: choice(["", ...OTHER_LANGUAGES]),
});

type Input = z.output<typeof inputSchema>;

/** What opens the page of a tool besides its own passes: another tool, or a tool name on purchases. */
export interface PageOpeners {
  toolIds: string[];
  toolNames: string[];
}

/** With the tool's own price and validity as they are stored, also of a tool with options. */
export type ListedTool = Omit<typeof tools.$inferSelect, "deletedAt"> & {
  openers: PageOpeners;
  /** Whether its pass would open something. Otherwise it is on sale only while `sellsWhenNotReady`. */
  isReady: boolean;
  /** How many buyers want to be told when it is in stock again. */
  waiting: number;
};

const SORT_KEYS: Record<Input["sort"], SortKey[]> = {
  createdAt: [{ column: sql`${tools.createdAt}` }],
  name: [{ column: sql`lower(${tools.name})` }],
  price: [{ column: OFFERED_PRICE }],
  stock: [{ column: sql`${tools.availableStock}` }],
};

/**
 * The tools that are not deleted, with all that the form of a tool shows, newest first unless the input says otherwise.
 *
 * @param input `q`: a part of the name or slug; `missing`: a language in which a text of the tool is missing; `sort`: createdAt, name, price or stock; `direction`; `page`
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function listToolsForAdmin(ctx: Context, input: ListInput): Promise<List<ListedTool>> {
  requireAdmin(ctx, "reads");
  const page = await selectToolIds(ctx, inputSchema.parse(input));
  const waiting = ctx.db.$count(stockAlerts, eq(stockAlerts.toolId, tools.id));
  const found = await ctx.db
    .select({ tool: tools, isReady: sql<boolean>`(${IS_READY})`, waiting })
    .from(tools)
    .where(and(inArray(tools.id, page.ids), isNull(tools.deletedAt)));
  const openers = await selectOpeners(
    ctx,
    found.map(({ tool }) => tool.slug),
  );
  const rows = found.map(({ tool: { deletedAt: _, ...tool }, isReady, waiting }) => ({
    ...tool,
    isReady,
    waiting,
    openers: openers.get(tool.slug) ?? { toolIds: [], toolNames: [] },
  }));
  return makeList(page, rows);
}

/**
 * Whether a tool has a text in English and not in this language. Badges do not count, because the shop itself translates the usual
 * ones, nor do labels of options that only say the days.
 */
function lacksText(language: Language): SQL {
  const texts = sql`coalesce(${tools.translations} -> ${language}::text, '{}')`;
  return sql`(not ${texts} ?& array['name', 'description']
    or (${tools.features} <> '[]' and not ${texts} ? 'features')
    or (${tools.howToUse} <> '[]' and not ${texts} ? 'howToUse')
    or exists (
      select from jsonb_array_elements(${tools.pricingOptions}) option
      where lower(option ->> 'label') not in (option ->> 'validityDays' || ' days', option ->> 'validityDays' || ' day')
        and not coalesce(${texts} -> 'optionLabels', '{}') ? (option ->> 'validityDays')
    ))`;
}

function selectToolIds(ctx: AuthorisedContext, { sort, missing, ...parsed }: Input): Promise<PageOfIds> {
  return selectListPage(ctx.db, {
    ...parsed,
    from: sql`${tools}`,
    id: sql`${tools.id}`,
    listed: sql`(${and(isNull(tools.deletedAt), missing === "" ? undefined : lacksText(missing))})`,
    keys: SORT_KEYS[sort],
    search: (matches) => [matches(tools.name, "name"), matches(tools.slug)],
  });
}

async function selectOpeners(
  ctx: AuthorisedContext,
  pages: readonly string[],
): Promise<Map<string, PageOpeners>> {
  const openers = new Map<string, PageOpeners>();
  const grants = await ctx.db
    .select({ page: toolPageGrants.page, toolId: toolPageGrants.toolId, toolName: toolPageGrants.toolName })
    .from(toolPageGrants)
    .where(inArray(toolPageGrants.page, [...pages]))
    .orderBy(toolPageGrants.id);
  for (const { page, toolId, toolName } of grants) {
    const known = openers.get(page) ?? { toolIds: [], toolNames: [] };
    openers.set(page, known);
    if (toolId !== null) known.toolIds.push(toolId);
    if (toolName !== null) known.toolNames.push(toolName);
  }
  return openers;
}

/** A tool that an admin can choose in a filter or a form. */
export interface ToolChoice {
  id: string;
  slug: string;
  name: string;
  description: string;
  category: string;
  badge: string | null;
  pricePaise: number;
  availableStock: number;
  isActive: boolean;
  contactOnly: boolean;
  serverNames: string[];
}

/**
 * All tools that are not deleted, by name.
 *
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function listToolChoices(ctx: Context): Promise<ToolChoice[]> {
  requireAdmin(ctx, "reads");
  const rows = await ctx.db
    .select({
      id: tools.id,
      slug: tools.slug,
      name: tools.name,
      description: tools.description,
      category: tools.category,
      badge: tools.badge,
      pricePaise: OFFERED_PRICE,
      availableStock: tools.availableStock,
      isActive: tools.isActive,
      contactOnly: tools.contactOnly,
      servers: tools.servers,
    })
    .from(tools)
    .where(isNull(tools.deletedAt))
    .orderBy(asc(sql`lower(${tools.name})`), asc(tools.id));
  return rows.map(({ servers, ...tool }) => ({ ...tool, serverNames: servers.map(({ name }) => name) }));
}
