import { and, asc, eq, gt, inArray, isNull, notExists, or, sql } from "drizzle-orm";
import { z } from "zod";
import type { Executor, Transaction } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { stockAlerts, tools } from "#db/tables/catalog.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import {
  type AuthorisedContext,
  allowAnyone,
  requireAdmin,
  requireSignedIn,
  requireSystem,
} from "../authorise.ts";
import { isUnconfirmedRestore } from "../backups/restored-shop.server.ts";
import { IS_ON_SALE, WAS_ON_SALE } from "../catalog/on-sale.server.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { queueMail } from "../mail/queue-mail.server.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { isActivePass } from "../pass-validity.server.ts";
import { findActivePass } from "../passes/access.server.ts";

const setStockAlertInput = z.object({
  slug: z.string().trim().toLowerCase().min(1).max(100),
  wanted: z.boolean(),
});

/**
 * A buyer asks for a mail when a tool is in stock or on sale again, or takes that back. Both may be repeated. There is no audit
 * event, because audit events outlive the row, which is deleted with its mail.
 *
 * @throws DomainError 'unauthenticated' (also for a deleted account), 'invalid-input', 'stock-alerts-too-fast'; for one that is
 *   wanted: 'tool-not-found' (also one that never was on sale), 'tool-in-stock', 'already-owned'
 */
export async function setStockAlert(
  ctx: Context,
  input: z.input<typeof setStockAlertInput> | UntrustedInput,
): Promise<{ wanted: boolean }> {
  requireSignedIn(ctx, "own-account");
  const { userId } = ctx.actor;
  const { slug, wanted } = parseInput(setStockAlertInput, input);
  await ctx.ports.rateLimiter.consume("stock-alert-account", userId);
  await inTransaction(ctx.db, (tx) =>
    wanted ? addAlert(ctx, tx, { slug, userId }) : removeAlert(tx, { slug, userId }),
  );
  return { wanted };
}

async function addAlert(
  ctx: Context,
  tx: Transaction,
  { slug, userId }: { slug: string; userId: string },
): Promise<void> {
  // A deletion of the account locks the row too, so no alert is left of an account that is deleted meanwhile.
  const [account] = await tx
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.deletedAt)))
    .for("key share");
  if (account === undefined) throw new DomainError("unauthenticated");
  const [tool] = await tx
    .select({ id: tools.id, availableStock: tools.availableStock, isOnSale: sql<boolean>`${IS_ON_SALE}` })
    .from(tools)
    .where(and(eq(tools.slug, slug), or(IS_ON_SALE, WAS_ON_SALE)));
  if (tool === undefined) throw new DomainError("tool-not-found");
  if (tool.isOnSale && tool.availableStock > 0) throw new DomainError("tool-in-stock");
  if (await findActivePass(ctx, tx, { userId, toolId: tool.id })) throw new DomainError("already-owned");
  await tx
    .insert(stockAlerts)
    .values({ toolId: tool.id, userId, createdAt: ctx.clock.now() })
    .onConflictDoNothing();
  changed(tx, stockAlerts);
}

const isAlertFor = (executor: Executor, { slug, userId }: { slug: string; userId: string }) =>
  and(
    eq(stockAlerts.userId, userId),
    inArray(stockAlerts.toolId, executor.select({ id: tools.id }).from(tools).where(eq(tools.slug, slug))),
  );

async function removeAlert(tx: Transaction, alert: { slug: string; userId: string }): Promise<void> {
  await tx.delete(stockAlerts).where(isAlertFor(tx, alert));
  changed(tx, stockAlerts);
}

/** Whether the actor waits for the tool with this slug; false for a visitor. */
export async function hasStockAlert(ctx: Context, slug: string): Promise<boolean> {
  allowAnyone(ctx);
  const { actor } = ctx;
  if (actor.kind !== "user" && actor.kind !== "admin") return false;
  return (await ctx.db.$count(stockAlerts, isAlertFor(ctx.db, { slug, userId: actor.userId }))) > 0;
}

const listInput = z.object({ toolId: z.uuid() });

/** The most buyers that one dialog shows. */
const SHOWN = 200;

/** Who waits for a tool, longest first, and the text with which the owner tells a group that it is back. */
export interface WaitingBuyers {
  buyers: { email: string; displayName: string; askedAt: Date }[];
  /** The number of all, also of those that are not in `buyers`. */
  total: number;
  shareText: string;
}

/**
 * The buyers who want to be told when a tool is in stock again, at most 200.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'invalid-input', 'not-found'
 */
export async function listWaitingBuyers(
  ctx: Context,
  input: z.input<typeof listInput> | UntrustedInput,
): Promise<WaitingBuyers> {
  requireAdmin(ctx, "reads");
  const { toolId } = parseInput(listInput, input);
  const [tool] = await ctx.db
    .select({ name: tools.name, slug: tools.slug })
    .from(tools)
    .where(and(eq(tools.id, toolId), isNull(tools.deletedAt)));
  if (tool === undefined) throw new DomainError("not-found");
  const buyers = await ctx.db
    .select({ email: users.email, displayName: users.name, askedAt: stockAlerts.createdAt })
    .from(stockAlerts)
    .innerJoin(users, eq(users.id, stockAlerts.userId))
    .where(eq(stockAlerts.toolId, toolId))
    .orderBy(asc(stockAlerts.createdAt), asc(stockAlerts.id))
    .limit(SHOWN);
  const total = await ctx.db.$count(stockAlerts, eq(stockAlerts.toolId, toolId));
  return { buyers, total, shareText: `${tool.name} is back: ${shopUrlOf(ctx, tool.slug)}` };
}

const shopUrlOf = (ctx: Context, slug: string) => `${ctx.store.origin}/shop/${slug}`;

/** Small, so that a transaction with its mails is short. */
const BATCH = 50;

/**
 * Mails the buyers who wait for tools that are in stock. A buyer who has a pass meanwhile, or whose account is disabled, gets
 * none. A shop without a mail server keeps the list. The transaction that writes a mail deletes the row, and a row that another
 * process is at work with is skipped, so each gets one mail.
 *
 * @returns how many mails were written
 * @throws DomainError 'forbidden' unless the actor is the system
 */
export async function tellOfStock(ctx: Context): Promise<number> {
  requireSystem(ctx);
  await noteToolsOnSale(ctx);
  // Nobody would get the mail, and the owner would lose the list.
  if (ctx.ports.mailTransport === null) return 0;
  // The stock of a restored shop may be an old one.
  if (await isUnconfirmedRestore(ctx.db)) return 0;
  for (let written = 0; ; ) {
    const batch = await inTransaction(ctx.db, (tx) => tellNext(ctx, tx));
    written += batch.mails;
    if (batch.taken < BATCH) return written;
  }
}

/** Keeps the shop page of each tool that is on sale, for the time when it is not. The job runs after each change of a tool. */
async function noteToolsOnSale(ctx: AuthorisedContext): Promise<void> {
  const noted = await ctx.db
    .update(tools)
    .set({ wasOnSale: true })
    .where(and(eq(tools.wasOnSale, false), IS_ON_SALE))
    .returning({ id: tools.id });
  if (noted.length > 0) changed(ctx.db, tools);
}

async function tellNext(ctx: Context, tx: Transaction): Promise<{ taken: number; mails: number }> {
  const due = await tx
    .select({ id: stockAlerts.id, toolId: stockAlerts.toolId, userId: stockAlerts.userId })
    .from(stockAlerts)
    .innerJoin(tools, eq(tools.id, stockAlerts.toolId))
    .where(and(IS_ON_SALE, gt(tools.availableStock, 0)))
    .orderBy(asc(stockAlerts.id))
    .limit(BATCH)
    .for("update", { of: stockAlerts, skipLocked: true });
  if (due.length === 0) return { taken: 0, mails: 0 };
  const ids = due.map(({ id }) => id);
  const ownPass = tx
    .select({ id: userPurchases.id })
    .from(userPurchases)
    .where(
      and(
        eq(userPurchases.userId, stockAlerts.userId),
        eq(userPurchases.toolId, stockAlerts.toolId),
        isActivePass(ctx),
      ),
    );
  const recipients = await tx
    .select({ email: users.email, toolName: tools.name, slug: tools.slug })
    .from(stockAlerts)
    .innerJoin(tools, eq(tools.id, stockAlerts.toolId))
    .innerJoin(users, eq(users.id, stockAlerts.userId))
    .where(
      and(
        inArray(stockAlerts.id, ids),
        eq(users.isActive, true),
        isNull(users.deletedAt),
        notExists(ownPass),
      ),
    )
    .orderBy(asc(stockAlerts.id));
  for (const { email, toolName, slug } of recipients) {
    const facts = { toolName, shopUrl: shopUrlOf(ctx, slug) };
    await queueMail(ctx, tx, { to: email, kind: "back-in-stock", facts });
  }
  await tx.delete(stockAlerts).where(inArray(stockAlerts.id, ids));
  changed(tx, stockAlerts);
  return { taken: due.length, mails: recipients.length };
}
