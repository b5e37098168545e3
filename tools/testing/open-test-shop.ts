import { eq } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import { createBetterAuthAuthenticator } from "#adapters/better-auth/better-auth-authenticator.ts";
import type { HashCost, HashQueueLimits } from "#adapters/better-auth/password-hash.ts";
import { createCipher } from "#adapters/cipher/cipher.ts";
import { createPostgresRateLimiter } from "#adapters/rate-limiter/postgres-rate-limiter.ts";
import { startCheckout } from "#core/checkout/start-checkout.server.ts";
import type { Actor, Context, Log, Ports, StoreConfig } from "#core/context.ts";
import type { JobName } from "#core/jobs.ts";
import type { MailTemplates } from "#core/mail/mail-templates.ts";
import { addDays, type Clock, MINUTE } from "#core/time.ts";
import { openDatabase } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { couponCodes, tools } from "#db/tables/catalog.ts";
import { auditEvents } from "#db/tables/operations.ts";
import { paymentAttempts, paymentOrders, refunds } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import type { OwnDatabase } from "./template-database.ts";

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** Renders the facts instead of a text: React templates cannot be loaded outside the tests' runner. */
const plainMailTemplates: MailTemplates = {
  render: async (kind, facts) => ({ subject: kind, html: "", text: JSON.stringify(facts) }),
};

export interface TestShopOptions<ShopClock extends Clock> {
  clock: ShopClock;
  /** Without a trailing slash. Cookies are secure where it begins with https. */
  origin?: string;
  adminEmail?: string;
  /**
   * Ports that differ from the default: no gateway, no mail server, plain mails, jobs that are recorded and not run.
   */
  ports?: Partial<Ports>;
  log?: Log;
  /** At most so many connections to the database; 20 unless given. */
  connections?: number;
  namesStatements?: boolean;
  /** Of the rate limiter: scales every limit that counts per address. 0 turns those off. */
  perAddressFactor?: number;
  hashLimits?: HashQueueLimits;
  /** The cost of a password hash; cheap unless given. */
  hashCost?: HashCost;
}

const CHEAP_HASHES: HashCost = { ln: 10, r: 8, p: 1 };

/** The actor of a session in which the password has always just been entered. */
export function withRecentPassword<Person extends object>(
  person: Person,
  clock: Clock,
): Person & { readonly passwordEnteredAt: Date } {
  return Object.defineProperty({ ...person, passwordEnteredAt: clock.now() }, "passwordEnteredAt", {
    get: () => clock.now(),
    enumerable: true,
  });
}

/** The same admin, 15 minutes and a moment after the last entry of the password. */
export function withOldPassword(ctx: Context): Context {
  if (ctx.actor.kind !== "admin") throw new Error("only an admin enters the password again");
  const { actor: person, clock } = ctx;
  const passwordEnteredAt = new Date(clock.now().getTime() - 15 * MINUTE - 1);
  // A copy, because the admin of a test shop has always just entered the password.
  const { kind, userId, email, sessionId } = person;
  return { ...ctx, actor: { kind, userId, email, sessionId, passwordEnteredAt } };
}

/** The configuration of a small Indian shop with the default settings. */
export function testStore(origin: string, adminEmail = "owner@example.com"): StoreConfig {
  return {
    origin,
    timeZone: "Asia/Kolkata",
    adminEmail,
    supportPhones: null,
    dealsChannelUrl: null,
    demoVideoUrl: null,
    perAddressFactor: 1,
  };
}

/**
 * The operations of the shop on a database that the caller has made, with the real authenticator, cipher and rate
 * limiter. Every other test shop is made of this one. Jobs do not run: a test calls the operation it needs. `close`
 * drops the database.
 */
export function openTestShop<ShopClock extends Clock>(
  database: OwnDatabase,
  options: TestShopOptions<ShopClock>,
) {
  const { origin = "https://shop.example", clock, log = silentLog } = options;
  const { db, pool, close } = openDatabase(database.url, {
    max: options.connections ?? 20,
    namesStatements: options.namesStatements ?? false,
    onBrokenConnection: () => {},
  });
  const triggeredJobs: JobName[] = [];
  const ports: Ports = {
    catalogueVersion: () => null,
    authenticator: createBetterAuthAuthenticator({
      db,
      secret: "a-secret-for-tests-0123456789abcdefghijklmnop",
      origin,
      secureCookies: origin.startsWith("https:"),
      log,
      hashCost: options.hashCost ?? CHEAP_HASHES,
      ...(options.hashLimits && { hashLimits: options.hashLimits }),
    }),
    cipher: createCipher({ keys: [{ id: "k1", key: Buffer.alloc(32, 1) }], lookupKey: Buffer.alloc(32, 2) }),
    gateway: null,
    identityProvider: null,
    jobs: {
      triggerSoon: (name) => void triggeredJobs.push(name),
    },
    mailTemplates: plainMailTemplates,
    mailTransport: null,
    rateLimiter: createPostgresRateLimiter({ pool, perAddressFactor: options.perAddressFactor ?? 1 }),
    ...options.ports,
  };
  const store = testStore(origin, options.adminEmail);
  const contextFor = (actor: Actor): Context => ({
    ...{ actor, db, clock, ports, store, log, requestId: "test" },
  });

  return {
    db,
    pool,
    url: database.url,
    clock,
    ports,
    /** Names of the jobs that were triggered, in order. */
    triggeredJobs,
    contextFor,
    visitor: () => contextFor({ kind: "visitor" }),
    system: () => contextFor({ kind: "system" }),
    /** What is audited about a subject, oldest first. */
    auditsOf: (subjectId: string) =>
      db.select().from(auditEvents).where(eq(auditEvents.subjectId, subjectId)).orderBy(auditEvents.id),
    /** A new account, signed in. An admin has just entered the password, however far the clock is advanced. */
    async user(
      role: "user" | "admin" = "user",
    ): Promise<Context & { actor: { userId: string; email: string } }> {
      const userId = uuidv7();
      const email = `${userId}@example.com`;
      await db.insert(users).values({ id: userId, email, role });
      const actor = withRecentPassword({ kind: role, userId, email, sessionId: uuidv7() }, clock);
      return { ...contextFor(actor), actor };
    },
    /** A new tool on sale, ready or not: ₹149 for 30 days and five in stock unless `values` say otherwise. */
    async tool(values: Partial<typeof tools.$inferInsert> = {}) {
      const slug = values.slug ?? `tool-${uuidv7()}`;
      const [tool] = await db
        .insert(tools)
        .values({
          ...{ slug, name: `Tool ${slug}`, description: "A tool.", pricePaise: 14_900, availableStock: 5 },
          sellsWhenNotReady: true,
          ...values,
        })
        .returning();
      if (!tool) throw new Error("the tool was not inserted");
      return tool;
    },
    /** A coupon of 20 % for a tool, without limit or end, unless `values` say otherwise. */
    async coupon(toolId: string, values: Partial<typeof couponCodes.$inferInsert> = {}) {
      const code = values.code ?? `C${uuidv7().slice(-12).toUpperCase()}`;
      const [coupon] = await db
        .insert(couponCodes)
        .values({ code, toolId, discountPercentage: 20, ...values })
        .returning();
      if (!coupon) throw new Error("the coupon was not inserted");
      return coupon;
    },
    /** A pass of 30 days that began yesterday unless `values` say otherwise. */
    async pass(
      { actor }: { actor: { userId: string; email: string } },
      values: Partial<typeof userPurchases.$inferInsert> & { toolName: string },
    ) {
      await db.insert(userPurchases).values({
        ...{ userId: actor.userId, userEmail: actor.email, validityDays: 30 },
        ...{ listPricePaise: 14_900, amountPaise: 14_900, status: "completed", source: "checkout" },
        ...{ startsAt: addDays(clock.now(), -1), expiresAt: addDays(clock.now(), 29), ...values },
      });
    },
    couponOf: async (couponId: string) =>
      (await db.select().from(couponCodes).where(eq(couponCodes.id, couponId)))[0],
    stockOf: async (toolId: string) =>
      (await db.select().from(tools).where(eq(tools.id, toolId)))[0]?.availableStock,
    purchasesOf: (ctx: { actor: { userId: string } }) =>
      db.select().from(userPurchases).where(eq(userPurchases.userId, ctx.actor.userId)),
    refundsOf: (purchaseId: string) =>
      db
        .select({ status: refunds.status, amountPaise: refunds.amountPaise, reason: refunds.reason })
        .from(refunds)
        .innerJoin(paymentAttempts, eq(paymentAttempts.id, refunds.attemptId))
        .innerJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
        .where(eq(paymentOrders.purchaseId, purchaseId)),
    async close() {
      await close();
      await database.drop();
    },
  };
}

/** Starts a checkout whose amount is not 0. */
export async function startPaidCheckout(ctx: Context, input: Parameters<typeof startCheckout>[1]) {
  const started = await startCheckout(ctx, input);
  if (started.kind !== "pay") throw new Error("there was nothing to pay");
  return started;
}
