import { randomUUID } from "node:crypto";
import type pg from "pg";
import { pino } from "pino";
import { uuidv7 } from "uuidv7";
import { createBetterAuthAuthenticator } from "#adapters/better-auth/better-auth-authenticator.ts";
import { createCipher } from "#adapters/cipher/cipher.ts";
import { createPostgresRateLimiter } from "#adapters/rate-limiter/postgres-rate-limiter.ts";
import { createRazorpayGateway } from "#adapters/razorpay/razorpay-gateway.ts";
import type { Actor, Context } from "#core/context.ts";
import type { Ports } from "#core/ports.ts";
import { systemClock } from "#core/time.ts";
import { openDatabase } from "#db/database.ts";
import { createJobRunner } from "#server/jobs.ts";
import { createLog } from "#server/log.ts";
import { testStore } from "#tests/fixtures/open-test-shop.ts";
import type { GatewayProcess } from "./gateway-process.ts";

const ORIGIN = "http://localhost:3000";

/** A buyer with an account. Each has its own IP address. */
export interface BenchBuyer {
  userId: string;
  email: string;
  address: string;
}

/**
 * The operations of core with the ports of server/compose.ts, in this process and without HTTP. Mails are an error,
 * because Node alone cannot load the templates; no measured operation sends one.
 */
export function composeInProcessShop(databaseUrl: string, gateway: GatewayProcess) {
  const log = createLog("info", pino.destination({ dest: "/dev/null", sync: true }));
  const { db, pool, close } = openDatabase(databaseUrl, {
    namesStatements: true,
    onBrokenConnection: (error) => console.error(error),
  });
  const ports: Ports = {
    authenticator: createBetterAuthAuthenticator({
      db,
      secret: "a-secret-for-the-bench-that-is-long-enough",
      origin: ORIGIN,
      secureCookies: false,
      log,
    }),
    cipher: createCipher({ keys: [{ id: "k1", key: Buffer.alloc(32, 1) }], lookupKey: Buffer.alloc(32, 2) }),
    catalogueVersion: () => null,
    commands: { run: () => Promise.reject(new Error("no command is expected here")) },
    identityProvider: null,
    deleteImportFiles: async () => undefined,
    gateway: createRazorpayGateway({
      name: "razorpay",
      apiUrl: gateway.url,
      keyId: gateway.keyId,
      keySecret: gateway.keySecret,
      webhookSecrets: [gateway.webhookSecret],
      checkoutScriptUrl: "https://checkout.razorpay.com/v1/checkout.js",
    }),
    health: { latest: () => ({ report: null, isRunning: false, hasFailed: false }) },
    jobs: createJobRunner({ db, run: async () => undefined, log }),
    mailTemplates: {
      render: () => Promise.reject(new Error("no mail is expected here")),
      renderExample: () => Promise.resolve(null),
    },
    mailTransport: null,
    rateLimiter: createPostgresRateLimiter({ pool, perAddressFactor: 1 }),
  };
  const store = testStore(ORIGIN);
  const contextOf = ({ userId, email, address }: BenchBuyer): Context => {
    const actor: Actor = { kind: "user", userId, email, sessionId: userId };
    const requestId = randomUUID();
    const browser = { headers: new Headers(), ipAddress: address };
    return { actor, db, clock: systemClock, ports, store, log: log.child({ requestId }), requestId, browser };
  };
  return { pool, contextOf, close };
}

const UNLIMITED_STOCK = 1_000_000_000;

/** New tools on sale. @returns their slugs */
export async function insertTools(
  client: pg.Client,
  count: number,
  stock = UNLIMITED_STOCK,
): Promise<string[]> {
  const tools = Array.from({ length: count }, () => uuidv7()).map((id) => ({ id, slug: `tool-${id}` }));
  await client.query(
    `insert into tools (id, slug, name, description, price_paise, available_stock, sells_when_not_ready)
     select id, slug, slug, 'For the benchmark.', 14900, $3::int, true from unnest($1::uuid[], $2::text[]) as t(id, slug)`,
    [tools.map(({ id }) => id), tools.map(({ slug }) => slug), stock],
  );
  return tools.map(({ slug }) => slug);
}

let addresses = 0;

export async function insertBuyers(client: pg.Client, count: number): Promise<BenchBuyer[]> {
  const buyers = Array.from({ length: count }, () => {
    const userId = uuidv7();
    const n = addresses++;
    return { userId, email: `${userId}@example.com`, address: `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}` };
  });
  await client.query(
    "insert into users (id, email) select id, email from unnest($1::uuid[], $2::text[]) as t(id, email)",
    [buyers.map(({ userId }) => userId), buyers.map(({ email }) => email)],
  );
  return buyers;
}
