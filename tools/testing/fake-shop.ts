import { createBetterAuthAuthenticator } from "#adapters/better-auth/better-auth-authenticator.ts";
import { createCipher } from "#adapters/cipher/cipher.ts";
import { createPostgresRateLimiter } from "#adapters/rate-limiter/postgres-rate-limiter.ts";
import { createRazorpayGateway } from "#adapters/razorpay/razorpay-gateway.ts";
import type { Actor, Context, Log, Ports } from "#core/context.ts";
import type { MailTemplates } from "#core/mail/mail-templates.ts";
import { GatewayError, type PaymentGateway } from "#core/payments/payment-gateway.ts";
import { openDatabase } from "#db/database.ts";
import { startFakeGateway } from "./fake-gateway/fake-gateway.ts";
import { createSetClock } from "./set-clock.ts";
import type { OwnDatabase } from "./template-database.ts";
import { testStore } from "./test-store.ts";

const ORIGIN = "https://shop.example";
const WEBHOOK_SECRET = "fake-webhook-secret";
const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** Quiet, but keeps the faults that a job writes down and goes on after; a gateway in trouble is none. */
function createFaultLog(): { log: Log; faults: string[] } {
  const faults: string[] = [];
  const error = (facts: object, message: string) => {
    const err = "err" in facts ? facts.err : null;
    if (err instanceof Error && !(err instanceof GatewayError)) faults.push(`${message}: ${err.message}`);
  };
  return { log: { ...silent, error }, faults };
}

/** The facts instead of words: what is rendered by React cannot be loaded outside the tests' runner. */
const plainMails: MailTemplates = {
  render: async (kind, facts) => ({ subject: kind, html: "", text: JSON.stringify(facts) }),
};

export type FakeShop = Awaited<ReturnType<typeof startFakeShop>>;

/**
 * The shop's rules on a database that the caller has made, with the real gateway's adapter speaking to the fake of the
 * real gateway over a socket, in live mode, so that its money counts as revenue. Unlike the test shop it runs outside the
 * tests' runner too. Jobs are only asked for: whoever uses it runs the verb they mean to. Closing it drops the database.
 */
export async function startFakeShop(database: OwnDatabase) {
  // Nothing here outlives the machine: waiting for the disk at each commit would only take time.
  const url = `${database.url}${database.url.includes("?") ? "&" : "?"}options=-c%20synchronous_commit%3Doff`;
  const { db, pool, close } = openDatabase(url, { max: 20, onBrokenConnection: () => {} });
  const clock = createSetClock(new Date("2026-11-21T06:30:00Z"));
  const fake = await startFakeGateway({
    keyId: "rzp_live_FakeGateway00",
    webhookSecret: WEBHOOK_SECRET,
    now: () => clock.now().getTime(),
  });
  const gatewayWith = (times: { timeoutMs: number; budgetMs: number }): PaymentGateway =>
    createRazorpayGateway({
      name: "razorpay",
      apiUrl: fake.url,
      keyId: fake.keyId,
      keySecret: fake.keySecret,
      webhookSecrets: [WEBHOOK_SECRET],
      checkoutScriptUrl: `${fake.url}/v1/checkout.js`,
      ...times,
    });
  // No time for a second try: what goes wrong at the gateway reaches the shop's rules, and at once.
  const hasty = gatewayWith({ timeoutMs: 190, budgetMs: 190 });
  const patient = gatewayWith({ timeoutMs: 10_000, budgetMs: 30_000 });

  const portsWith = (gateway: PaymentGateway): Ports => ({
    authenticator: createBetterAuthAuthenticator({
      db,
      secret: "a-secret-for-tests-that-is-long-enough",
      origin: ORIGIN,
      trustedOrigins: [ORIGIN],
      secureCookies: true,
      log: silent,
    }),
    cipher: createCipher({ keys: [{ id: "k1", key: Buffer.alloc(32, 1) }], lookupKey: Buffer.alloc(32, 2) }),
    gateway,
    jobs: { enqueue: async () => {}, triggerSoon: () => {} },
    mailTemplates: plainMails,
    mailTransport: null,
    rateLimiter: createPostgresRateLimiter({ pool, perAddressFactor: 1 }),
  });
  const { log, faults } = createFaultLog();
  const ports = { hasty: portsWith(hasty), patient: portsWith(patient) };

  return {
    db,
    pool,
    clock,
    fake,
    /** What has gone wrong in jobs that went on all the same; the reader takes it out. */
    loggedFaults: faults,
    /** @param temper how often the shop asks the gateway: once, or again when that may help, as in real life */
    contextFor: (actor: Actor, temper: "hasty" | "patient" = "hasty"): Context => ({
      actor,
      db,
      clock,
      ports: ports[temper],
      store: testStore(ORIGIN),
      log,
      requestId: "test",
    }),
    async close() {
      await fake.close();
      await close();
      await database.drop();
    },
  };
}
