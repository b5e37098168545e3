import { asc, eq, isNotNull, sql } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { toolLogos, tools } from "#db/tables/catalog.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { changed } from "#db/transaction.ts";
import { type AuthorisedContext, allowAnyone } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { InvalidInputError } from "../../errors.ts";
import { keepUntilChange } from "../keep-until-change.ts";
import { LOGO_NAME_PATTERN } from "../limits.ts";
import { listActiveTools } from "../on-sale.server.ts";
import { translationOf } from "../translations.ts";
import { readLogo, UnusableLogoError } from "./read-logo.server.ts";

/** What the form of a tool says about its logo. Neither: it stays as it is. */
export interface LogoChange {
  /** The uploaded file in base64url. */
  logoFile: string | null;
  removeLogo: boolean;
}

/**
 * Stores an uploaded logo.
 *
 * @param before the name of the logo that the tool has now
 * @returns the name of the logo that the tool has from now on; null: none
 * @throws InvalidInputError for a file that cannot be a logo
 */
export async function saveLogo(
  ctx: Context,
  tx: Transaction,
  { logoFile, removeLogo }: LogoChange,
  before: string | null,
): Promise<string | null> {
  if (logoFile === null) return removeLogo ? null : before;
  const { name, content } = readUpload(logoFile);
  const createdAt = ctx.clock.now();
  await tx.insert(toolLogos).values({ name, content, createdAt }).onConflictDoNothing();
  changed(tx, toolLogos);
  return name;
}

function readUpload(file: string) {
  try {
    return readLogo(Buffer.from(file, "base64url"));
  } catch (error) {
    if (error instanceof UnusableLogoError) throw new InvalidInputError({ logoFile: [error.message] });
    throw error;
  }
}

/** Deletes a logo that no tool has any more. The caller holds the edit lock, so none gets it meanwhile. */
export async function deleteUnusedLogo(tx: Transaction, name: string | null): Promise<void> {
  if (name === null || (await tx.$count(tools, eq(tools.logo, name))) > 0) return;
  await tx.delete(toolLogos).where(eq(toolLogos.name, name));
  changed(tx, toolLogos);
}

/** The content of a logo; null when there is none of this name. Open to all. */
export async function findLogo(ctx: Context, name: string): Promise<Buffer<ArrayBuffer> | null> {
  allowAnyone(ctx);
  if (!LOGO_NAME_PATTERN.test(name)) return null;
  const [logo] = await ctx.db
    .select({ content: toolLogos.content })
    .from(toolLogos)
    .where(eq(toolLogos.name, name));
  return logo?.content ?? null;
}

/** The name of the logo of a tool on sale; null: it has none. Open to all. */
export async function findToolLogo(ctx: Context, toolName: string): Promise<string | null> {
  allowAnyone(ctx);
  return (await listAllLogos(ctx)).get(toolName.toLowerCase()) ?? null;
}

/** Every page has the list. The tools beyond it show what they show without a logo. */
const MOST_LISTED = 500;

/**
 * The names of the uploaded logos by the name of their tool in lower case: a pass or a purchase shows the logo by the name
 * that it was bought under, as it shows a brand's icon. A deleted tool keeps its logo for its passes, unless another tool
 * has its name. Open to all: an admin gets the logos of all tools, everybody else the logos of the tools on sale and of what they
 * have bought, because the name of any other tool is nobody's business yet.
 */
export async function listLogos(ctx: Context): Promise<Readonly<Record<string, string>>> {
  allowAnyone(ctx);
  const logos = await listAllLogos(ctx);
  const mayShow = await findNamesToShow(ctx, [...logos.keys()]);
  return Object.fromEntries([...logos].filter(([name]) => mayShow(name)));
}

/**
 * The English names of the same tools by their names in the language of the request, in lower case: a tool has the same logo in
 * each language. Open to all.
 */
export async function listEnglishNames(ctx: Context): Promise<Readonly<Record<string, string>>> {
  allowAnyone(ctx);
  const translated = await listTranslations(ctx);
  const english = new Set(translated.map(({ name }) => name.toLowerCase()));
  // The last of equal names counts: a tool that is not deleted.
  const names = translated.toReversed().flatMap(({ name, translations }) => {
    const shown = translationOf(ctx, translations).name?.toLowerCase();
    // What is bought under an English name has its own logo.
    return shown === undefined || english.has(shown) ? [] : [[shown, name] as const];
  });
  if (names.length === 0) return {};
  const mayShow = await findNamesToShow(
    ctx,
    names.map(([, name]) => name.toLowerCase()),
  );
  return Object.fromEntries(names.filter(([, name]) => mayShow(name.toLowerCase())));
}

const listTranslations = keepUntilChange(({ db }) =>
  db
    .select({ name: tools.name, translations: tools.translations })
    .from(tools)
    .where(sql`${tools.translations} <> '{}'`)
    .orderBy(sql`${tools.deletedAt} desc nulls first`, asc(tools.name))
    .limit(MOST_LISTED),
);

/** @param names in lower case */
async function findNamesToShow(
  ctx: AuthorisedContext,
  names: readonly string[],
): Promise<(name: string) => boolean> {
  if (ctx.actor.kind === "admin") return () => true;
  const shown = new Set((await listActiveTools(ctx)).map(({ name }) => name.toLowerCase()));
  if (ctx.actor.kind === "user" && names.some((name) => !shown.has(name)))
    for (const name of await listBoughtNames(ctx, ctx.actor.userId)) shown.add(name);
  return (name) => shown.has(name);
}

const listAllLogos = keepUntilChange(async (ctx): Promise<ReadonlyMap<string, string>> => {
  const rows = await ctx.db
    .select({ name: tools.name, logo: tools.logo })
    .from(tools)
    .where(isNotNull(tools.logo))
    .orderBy(sql`${tools.deletedAt} desc nulls first`, asc(tools.name))
    .limit(MOST_LISTED);
  // The last of equal names counts.
  return new Map(
    rows
      .toReversed()
      .flatMap(({ name, logo }) => (logo === null ? [] : [[name.toLowerCase(), logo] as const])),
  );
});

/** The names, in lower case, of the tools that somebody has bought or begun to buy. */
async function listBoughtNames(ctx: AuthorisedContext, userId: string): Promise<string[]> {
  const rows = await ctx.db
    .selectDistinct({ name: userPurchases.toolName })
    .from(userPurchases)
    .where(eq(userPurchases.userId, userId))
    .limit(MOST_LISTED);
  return rows.map(({ name }) => name.toLowerCase());
}
