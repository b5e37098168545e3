import { and, count, eq, inArray, isNull, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import { z } from "zod";
import type { Transaction } from "#db/database.ts";
import { lockEdits } from "#db/edit-lock.ts";
import { couponCodes, tools } from "#db/tables/catalog.ts";
import { couponRedemptions, userPurchases } from "#db/tables/purchases.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { changedFields, recordAudit } from "../audit/record-audit.server.ts";
import { type AuthorisedContext, requireAdmin } from "../authorise.ts";
import { COUPON_FIELDS, createCouponSchema, updateCouponSchema } from "../catalog/coupon-fields.ts";
import { valuesOf } from "../catalog/record-fields.ts";
import type { Context } from "../context.ts";
import { DomainError, InvalidInputError } from "../errors.ts";
import { type List, type ListInput, listFields, makeList } from "../lists/paging.ts";
import {
  type ListQuery,
  matches,
  type SortKey,
  selectAllIds,
  selectListPage,
} from "../lists/select-page.server.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { IS_OPEN_CHECKOUT } from "../pass-validity.server.ts";
import { formatLocalDateTime, parseLocalDateTime } from "../time.ts";
import {
  type Coupon,
  countUses,
  isTool,
  lockCoupon,
  selectCoupon,
  selectLatestUses,
} from "./queries.server.ts";
import { couponCode, deleteCouponSchema } from "./schemas.ts";

const listSchema = z.object({
  ...listFields(["createdAt", "code", "expiresAt"]),
  tool: z.literal("all").or(z.uuid()).catch("all"),
});

type Listed = z.output<typeof listSchema>;

const SORT_KEYS: Record<Listed["sort"], SortKey[]> = {
  createdAt: [{ column: sql`${couponCodes.createdAt}` }],
  code: [{ column: sql`upper(${couponCodes.code})` }],
  expiresAt: [{ column: sql`${couponCodes.expiresAt}`, hasNulls: true }],
};

export type ListedCoupon = Omit<Coupon, "usesTaken" | "deletedAt"> & {
  /** The name that the tool has now. */
  toolName: string;
  toolIsDeleted: boolean;
  /** Completed purchases with the coupon, and the uses that an imported shop had counted. */
  timesUsed: number;
  /** Uses of open checkouts; they count against the limit. */
  timesHeld: number;
};

/**
 * The coupons that are not deleted, newest first unless the input says otherwise.
 *
 * @param input `q`: a part of the code or of the tool's name; `tool`: all, or the id of a tool; `sort`: createdAt, code
 *   or expiresAt; `direction`; `page`
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function listCoupons(ctx: Context, input: ListInput): Promise<List<ListedCoupon>> {
  requireAdmin(ctx, "reads");
  const page = await selectListPage(ctx.db, await listedCoupons(ctx, listSchema.parse(input)));
  const found = await ctx.db
    .select({ coupon: couponCodes, toolName: tools.name, toolDeletedAt: tools.deletedAt })
    .from(couponCodes)
    .innerJoin(tools, eq(tools.id, couponCodes.toolId))
    .where(and(inArray(couponCodes.id, page.ids), isNull(couponCodes.deletedAt)));
  const held = await countHeldUses(ctx, page.ids);
  const rows = found.map(({ coupon: { usesTaken, deletedAt: _, ...coupon }, toolName, toolDeletedAt }) => {
    const timesHeld = held.get(coupon.id) ?? 0;
    const timesUsed = Math.max(0, usesTaken - timesHeld);
    return { ...coupon, toolName, toolIsDeleted: toolDeletedAt !== null, timesUsed, timesHeld };
  });
  return makeList(page, rows);
}

/** The ids of all coupons of a list, `most` at most. */
export async function selectCouponIds(
  ctx: AuthorisedContext,
  input: ListInput,
  most: number,
): Promise<string[]> {
  return selectAllIds(ctx.db, await listedCoupons(ctx, listSchema.parse(input)), most);
}

async function listedCoupons(ctx: AuthorisedContext, { tool, sort, ...parsed }: Listed): Promise<ListQuery> {
  const exists = sql`${couponCodes.deletedAt} is null`;
  const listed = tool === "all" ? exists : sql`${exists} and ${couponCodes.toolId} = ${tool}`;
  // Read first, because the planner cannot estimate how many coupons the tools of a subquery have.
  const namedTools =
    parsed.q === ""
      ? []
      : await ctx.db.select({ id: tools.id }).from(tools).where(matches(parsed.q)(tools.name, "name"));
  const toolIds = namedTools.map(({ id }) => id);
  return {
    ...parsed,
    from: sql`${couponCodes}`,
    id: sql`${couponCodes.id}`,
    listed,
    keys: SORT_KEYS[sort],
    search: (isFound) => [isFound(couponCodes.code), sql`${couponCodes.toolId} = any(${sql.param(toolIds)})`],
  };
}

/**
 * A coupon's counter has its held and its used redemptions. Only pending purchases hold one, and there are few, so the
 * held ones are counted and not the used ones.
 */
async function countHeldUses(
  ctx: AuthorisedContext,
  couponIds: readonly string[],
): Promise<Map<string, number>> {
  const counted = await ctx.db
    .select({ couponId: couponRedemptions.couponId, uses: count() })
    .from(couponRedemptions)
    .innerJoin(userPurchases, eq(userPurchases.id, couponRedemptions.purchaseId))
    .where(
      and(
        IS_OPEN_CHECKOUT,
        eq(couponRedemptions.state, "held"),
        inArray(couponRedemptions.couponId, [...couponIds]),
      ),
    )
    .groupBy(couponRedemptions.couponId);
  return new Map(counted.map(({ couponId, uses }) => [couponId, uses]));
}

const LATEST_USES = 10;

export interface CouponUsage {
  /** Completed purchases with the coupon, and `importedUses`. */
  timesUsed: number;
  /** The same number as `timesUsed`. The requirements have both names. */
  usedCount: number;
  /** The uses that an imported shop had counted. They are not in `latest`. */
  importedUses: number;
  /** Redemptions of open checkouts. They count against the limit. */
  held: number;
  lastUsed: Date | null;
  latest: Awaited<ReturnType<typeof selectLatestUses>>;
}

/**
 * How often a coupon was used, when last, and its latest ten uses.
 *
 * @throws DomainError unauthenticated, forbidden, coupon-missing
 */
export async function getCouponUsage(
  ctx: Context,
  input: { code: string } | UntrustedInput,
): Promise<CouponUsage> {
  requireAdmin(ctx, "reads");
  const { code } = parseInput(z.object({ code: couponCode }), input);
  const coupon = await selectCoupon(ctx.db, code);
  if (!coupon) throw new DomainError("coupon-missing");
  const { used, held } = await countUses(ctx.db, coupon.id);
  const { importedUses } = coupon;
  return {
    timesUsed: used + importedUses,
    usedCount: used + importedUses,
    importedUses,
    held,
    lastUsed: coupon.lastUsed,
    latest: await selectLatestUses(ctx.db, coupon.id, LATEST_USES),
  };
}

/**
 * Adds a coupon for one tool.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input', 'tool-not-found', 'coupon-code-taken'
 */
export async function createCoupon(
  ctx: Context,
  input: z.input<typeof createCouponSchema> | UntrustedInput,
): Promise<{ id: string }> {
  requireAdmin(ctx, "changes-price");
  const { expiresAt, ...fields } = parseInput(createCouponSchema, input);
  const { timeZone } = ctx.store;
  const expiry = readExpiry(expiresAt, { timeZone, now: ctx.clock.now(), stored: null });
  const coupon = { ...fields, expiresAt: expiry };
  return inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    if (!(await isTool(tx, coupon.toolId))) throw new DomainError("tool-not-found");
    if (await selectCoupon(tx, coupon.code)) throw new DomainError("coupon-code-taken");
    const id = uuidv7();
    await tx.insert(couponCodes).values({ id, ...coupon, createdAt: ctx.clock.now() });
    changed(tx, couponCodes);
    await recordAudit(ctx, tx, {
      action: "coupon.created",
      subjectType: "coupon",
      subjectId: id,
      details: { after: toCouponRecord(coupon) },
    });
    return { id };
  });
}

/**
 * Changes a coupon. Purchases keep the code and the discount that they were made with.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input', 'coupon-missing', 'tool-not-found',
 *   'coupon-code-taken', 'changed-meanwhile' (the coupon no longer has `version`)
 */
export async function updateCoupon(
  ctx: Context,
  input: z.input<typeof updateCouponSchema> | UntrustedInput,
): Promise<{ version: number }> {
  requireAdmin(ctx, "changes-price");
  const { id, version, expiresAt, ...fields } = parseInput(updateCouponSchema, input);
  return inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    const before = await lockCoupon(tx, id);
    if (before === null) throw new DomainError("coupon-missing");
    if (before.version !== version) throw new DomainError("changed-meanwhile");
    const movesTool = fields.toolId !== before.toolId;
    if (movesTool && !(await isTool(tx, fields.toolId))) throw new DomainError("tool-not-found");
    const sameCode = await selectCoupon(tx, fields.code);
    if (sameCode !== null && sameCode.id !== id) throw new DomainError("coupon-code-taken");
    const { timeZone } = ctx.store;
    const expiry = readExpiry(expiresAt, { timeZone, now: ctx.clock.now(), stored: before.expiresAt });
    await storeCoupon(ctx, tx, before, { ...fields, expiresAt: expiry });
    return { version: version + 1 };
  });
}

async function storeCoupon(
  ctx: AuthorisedContext,
  tx: Transaction,
  before: Coupon,
  after: Omit<z.output<typeof updateCouponSchema>, "id" | "version" | "expiresAt"> & {
    expiresAt: Date | null;
  },
): Promise<void> {
  await tx
    .update(couponCodes)
    .set({ ...after, version: sql`${couponCodes.version} + 1`, updatedAt: ctx.clock.now() })
    .where(eq(couponCodes.id, before.id));
  changed(tx, couponCodes);
  await recordAudit(ctx, tx, {
    action: "coupon.updated",
    subjectType: "coupon",
    subjectId: before.id,
    details: changedFields(toCouponRecord(before), toCouponRecord(after)),
  });
}

/** A change of nothing but Active, as `updateCoupon` makes it. @returns whether the coupon was changed */
export async function changeCouponActive(
  ctx: AuthorisedContext,
  tx: Transaction,
  { id, isActive }: { id: string; isActive: boolean },
): Promise<boolean> {
  await lockEdits(tx);
  const before = await lockCoupon(tx, id);
  if (before === null) throw new DomainError("coupon-missing");
  if (before.isActive !== isActive) await storeCoupon(ctx, tx, before, { ...before, isActive });
  return before.isActive !== isActive;
}

/**
 * Ends a coupon, for good, and frees its code. Its redemptions stay, and checkouts that already hold a use of it keep
 * their discount.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input', 'coupon-missing'
 */
export async function deleteCoupon(ctx: Context, input: { id: string } | UntrustedInput): Promise<void> {
  requireAdmin(ctx, "deletes");
  const { id } = parseInput(deleteCouponSchema, input);
  await inTransaction(ctx.db, (tx) => endCoupon(ctx, tx, id));
}

/** `deleteCoupon` in the transaction of the caller. */
export async function endCoupon(ctx: AuthorisedContext, tx: Transaction, id: string): Promise<void> {
  await lockEdits(tx);
  const coupon = await lockCoupon(tx, id);
  if (coupon === null) throw new DomainError("coupon-missing");
  const now = ctx.clock.now();
  await tx
    .update(couponCodes)
    .set({ deletedAt: now, isActive: false, version: sql`${couponCodes.version} + 1`, updatedAt: now })
    .where(eq(couponCodes.id, id));
  changed(tx, couponCodes);
  await recordAudit(ctx, tx, {
    action: "coupon.deleted",
    subjectType: "coupon",
    subjectId: id,
    details: { before: toCouponRecord(coupon) },
  });
}

const IN_THE_PAST = "This time has passed. Choose a later one, or untick Active to stop the coupon.";

/**
 * The moment of the form's expiry field. The field has no seconds, so an unchanged one keeps the moment that was stored,
 * even when it has passed.
 *
 * @throws InvalidInputError
 */
function readExpiry(
  text: string | null,
  { timeZone, now, stored }: { timeZone: string; now: Date; stored: Date | null },
): Date | null {
  if (text === null) return null;
  if (stored !== null && formatLocalDateTime(stored, timeZone) === text) return stored;
  const expiry = parseLocalDateTime(text, timeZone);
  if (expiry === null) throw new InvalidInputError({ expiresAt: ["Enter a date and a time."] });
  if (expiry <= now) throw new InvalidInputError({ expiresAt: [IN_THE_PAST] });
  return expiry;
}

/** A coupon in an audit event. */
function toCouponRecord(coupon: typeof couponCodes.$inferInsert) {
  return { toolId: coupon.toolId, ...valuesOf(COUPON_FIELDS, coupon) };
}
