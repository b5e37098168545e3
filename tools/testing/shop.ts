import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { eq } from "drizzle-orm";
import { Hono } from "hono";
import { uuidv7 } from "uuidv7";
import { createBetterAuthAuthenticator } from "#adapters/better-auth/better-auth-authenticator.ts";
import { createCipher } from "#adapters/cipher/cipher.ts";
import { reactMailTemplates } from "#adapters/mail-templates/react-mail-templates.tsx";
import { createPostgresRateLimiter } from "#adapters/rate-limiter/postgres-rate-limiter.ts";
import { createRazorpayGateway } from "#adapters/razorpay/razorpay-gateway.ts";
import { createSandboxGateway } from "#adapters/sandbox-gateway/sandbox-gateway.ts";
import type { Actor, Context, Log, Ports } from "#core/context.ts";
import type { JobName } from "#core/jobs.ts";
import { openDatabase } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { couponCodes, tools } from "#db/tables/catalog.ts";
import { paymentAttempts, paymentOrders, refunds } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { freshDatabase } from "./database.ts";
import { createSetClock } from "./set-clock.ts";
import { testStore } from "./test-store.ts";

const KEYS = { keyId: "rzp_test_sandbox", keySecret: "key-secret", webhookSecret: "webhook-secret" };
const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * The shop's rules on a real database of their own, with the sandbox gateway behind a real socket. Jobs are only written
 * down: a test runs the verb it means to.
 */
export async function startTestShop() {
  const database = await freshDatabase();
  const { db, pool, close } = openDatabase(database.url, {
    max: 20,
    namedStatements: true,
    onBrokenConnection: () => {},
  });
  const clock = createSetClock(new Date("2026-11-21T06:30:00Z"));
  const webhooks: { rawBody: string; signature: string; eventId: string | null }[] = [];
  const gatewayFaults: {
    next: ((request: Request) => Response | Promise<Response | undefined> | undefined) | null;
  } = {
    next: null,
  };
  let address = "";
  const sandbox = createSandboxGateway({
    db,
    ...KEYS,
    deliverTo: () => `${address}/webhooks/razorpay`,
    log: silent,
    clock: { now: () => new Date() },
  });
  const http = new Hono();
  http.use("/sandbox-gateway/v1/*", async (c, next) => {
    const fault = await gatewayFaults.next?.(c.req.raw);
    return fault ?? next();
  });
  http.route("/sandbox-gateway", sandbox.app);
  http.post("/webhooks/razorpay", async (c) => {
    webhooks.push({
      rawBody: await c.req.text(),
      signature: c.req.header("x-razorpay-signature") ?? "",
      eventId: c.req.header("x-razorpay-event-id") ?? null,
    });
    return c.json({ ok: true });
  });
  const server = createServer(getRequestListener(http.fetch));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const bound = server.address();
  if (bound === null || typeof bound === "string") throw new Error("the test server has no port");
  address = `http://127.0.0.1:${bound.port}`;

  const jobs: { enqueued: JobName[]; nudged: JobName[] } = { enqueued: [], nudged: [] };
  const gateway = createRazorpayGateway({
    name: "sandbox",
    apiUrl: `${address}/sandbox-gateway`,
    keyId: KEYS.keyId,
    keySecret: KEYS.keySecret,
    webhookSecrets: [KEYS.webhookSecret],
    checkoutScriptUrl: "/sandbox-gateway/checkout.js",
  });
  const ports: Ports = {
    authenticator: createBetterAuthAuthenticator({
      db,
      secret: "a-secret-for-tests-that-is-long-enough",
      origin: address,
      trustedOrigins: [address],
      secureCookies: false,
      log: silent,
    }),
    cipher: createCipher({ keys: [{ id: "k1", key: Buffer.alloc(32, 1) }], lookupKey: Buffer.alloc(32, 2) }),
    gateway,
    jobs: {
      enqueue: async (_executor, name) => {
        jobs.enqueued.push(name);
      },
      triggerSoon: (name) => {
        jobs.nudged.push(name);
      },
    },
    mailTemplates: reactMailTemplates,
    mailTransport: null,
    rateLimiter: createPostgresRateLimiter({ pool, perAddressFactor: 1 }),
  };

  const contextFor = (actor: Actor): Context => ({
    actor,
    db,
    clock,
    ports,
    store: testStore(address),
    log: silent,
    requestId: "test",
  });

  const askSandbox = async (path: string, orderId: string): Promise<Record<string, string>> => {
    const answer = await fetch(`${address}/sandbox-gateway/checkout/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ order_id: orderId }),
    });
    return answer.json();
  };

  return {
    db,
    pool,
    url: database.url,
    clock,
    ports,
    jobs,
    webhooks,
    sandbox,
    gatewayFaults,
    contextFor,
    visitor: () => contextFor({ kind: "visitor" }),
    system: () => contextFor({ kind: "system" }),
    /** A new account, signed in. */
    async user(
      role: "user" | "admin" = "user",
    ): Promise<Context & { actor: { userId: string; email: string } }> {
      const userId = uuidv7();
      const email = `${userId}@example.com`;
      await db.insert(users).values({ id: userId, email, role });
      const actor = { kind: role, userId, email, sessionId: uuidv7() };
      return { ...contextFor(actor), actor };
    },
    /** A new tool on sale: ₹149 for 30 days and five in stock unless told otherwise. */
    async tool(facts: Partial<typeof tools.$inferInsert> = {}) {
      const slug = facts.slug ?? `tool-${uuidv7()}`;
      const [tool] = await db
        .insert(tools)
        .values({
          slug,
          name: `Tool ${slug}`,
          description: "A tool.",
          pricePaise: 14_900,
          availableStock: 5,
          ...facts,
        })
        .returning();
      if (!tool) throw new Error("the tool was not written");
      return tool;
    },
    /** A coupon of 20 % for a tool, without limit or end, unless told otherwise. */
    async coupon(toolId: string, facts: Partial<typeof couponCodes.$inferInsert> = {}) {
      const code = facts.code ?? `C${uuidv7().slice(-12).toUpperCase()}`;
      const [coupon] = await db
        .insert(couponCodes)
        .values({ code, toolId, discountPercentage: 20, ...facts })
        .returning();
      if (!coupon) throw new Error("the coupon was not written");
      return coupon;
    },
    couponOf: async (couponId: string) =>
      (await db.select().from(couponCodes).where(eq(couponCodes.id, couponId)))[0],
    /** Pays an order in the sandbox's checkout; the answer is what the browser would hand on. */
    async payAtGateway(orderId: string) {
      const proof = await askSandbox("pay", orderId);
      return {
        orderId,
        paymentId: proof.razorpay_payment_id ?? "",
        signature: proof.razorpay_signature ?? "",
      };
    },
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
    failAtGateway: (orderId: string) => askSandbox("fail", orderId),
    async close() {
      await sandbox.stopDelivery();
      await new Promise((resolve) => server.close(resolve));
      await close();
      await database.drop();
    },
  };
}

export type TestShop = Awaited<ReturnType<typeof startTestShop>>;
