import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { type GatewayProcess, startGateway, stopGateway } from "./gateway-process.ts";
import { insertTools } from "./in-process-shop.ts";
import type { HttpResponse, LightHttp } from "./light-http.ts";
import { type PostgresCluster, startPostgresCluster, until } from "./postgres-cluster.ts";
import { freePorts } from "./shop-cluster.ts";
import { createDataDir, type ShopProcess, startShop, stopShop } from "./shop-process.ts";
import { type SignedInBuyer, type SignedPayment, signInBuyers } from "./signed-in-buyer.ts";

const SHOPS = 3;

/** Built shops behind HAProxy, on the databases of deploy/cluster, with the fake gateway. */
export interface ClusteredShop {
  postgres: PostgresCluster;
  gateway: GatewayProcess;
  shops: ShopProcess[];
  startShopAt(index: number): Promise<void>;
  /** Runs `work` on a new connection to the primary, past the pooler. */
  withDatabase<T>(work: (database: pg.Client) => Promise<T>): Promise<T>;
  insertTools(count: number, stock?: number): Promise<string[]>;
  signInBuyers(http: LightHttp, count: number): Promise<SignedInBuyer[]>;
  stop(): Promise<void>;
}

/** @param count shops that are started, 3 at most */
export async function startClusteredShop(count = SHOPS): Promise<ClusteredShop> {
  const ports = await freePorts(SHOPS);
  const postgres = await startPostgresCluster(ports);
  const gateway = await startGateway(`${postgres.shopUrl}/webhooks/razorpay`);
  const dataDir = createDataDir();
  const authSecret = randomBytes(32).toString("hex");
  const origin = postgres.shopUrl.replace("127.0.0.1", "localhost");
  const env = {
    ...gateway.env,
    DATABASE_URL: postgres.pooledUrl,
    DATABASE_DIRECT_URL: postgres.directUrl,
    ORIGIN: origin,
    TRUSTED_PROXIES: "127.0.0.1",
    AUTH_SECRET: authSecret,
    VAULT_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    DEMO: "0",
  };
  const shops: ShopProcess[] = [];
  const startShopAt = async (index: number) => {
    shops[index] = await startShop({ dataDir, port: ports[index] ?? 0, env });
  };
  const stop = async () => {
    await Promise.all(shops.map((shop) => stopShop(shop)));
    await stopGateway(gateway);
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  const withDatabase: ClusteredShop["withDatabase"] = async (work) => {
    const database = new pg.Client({ connectionString: postgres.directUrl });
    database.on("error", () => undefined);
    await database.connect();
    try {
      return await work(database);
    } finally {
      await database.end().catch(() => undefined);
    }
  };
  try {
    for (let index = 0; index < count; index++) await startShopAt(index);
    await until(
      "a shop behind HAProxy",
      async () => (await fetch(`${postgres.shopUrl}/readyz`).catch(() => undefined))?.ok,
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    postgres,
    gateway,
    shops,
    startShopAt,
    withDatabase,
    insertTools: (tools, stock) => withDatabase((database) => insertTools(database, tools, stock)),
    signInBuyers: (http, buyers) =>
      withDatabase((database) =>
        signInBuyers(
          { database, shops: [{ url: postgres.shopUrl }], origin, authSecret, gateway },
          http,
          buyers,
        ),
      ),
    stop,
  };
}

/** What buyers were answered besides what they asked for. */
export interface Refusals {
  /** The shop's or HAProxy's 503: the page says "try again". */
  tryAgain: number;
  /** The connection or the shop that had the request was killed: 502, 504 or no answer. */
  cut: number;
  /** Anything else: a fault. */
  faults: string[];
  /** `performance.now()` of the first and the last of `tryAgain` and `cut`. */
  firstAt: number | null;
  lastAt: number | null;
  /** The slowest of all answers. */
  slowestMs: number;
}

export const noRefusals = (): Refusals => ({
  tryAgain: 0,
  cut: 0,
  faults: [],
  firstAt: null,
  lastAt: null,
  slowestMs: 0,
});

const RETRY_MS = 500;
const GIVE_UP_MS = 120_000;

/** @returns whether it was refused for now, so that the buyer tries again */
function isForNow(response: HttpResponse | null, sentAt: number, refusals: Refusals): boolean {
  const isCut = response === null || response.status === 502 || response.status === 504;
  if (!isCut && response.status !== 503) return false;
  if (isCut) refusals.cut++;
  else refusals.tryAgain++;
  refusals.firstAt ??= sentAt;
  refusals.lastAt = Math.max(refusals.lastAt ?? 0, performance.now());
  return true;
}

/** Repeats a request as a buyer does who is told to try again. @returns undefined when that never ended */
async function persist<T extends HttpResponse>(
  ask: () => Promise<T>,
  refusals: Refusals,
): Promise<T | undefined> {
  const end = performance.now() + GIVE_UP_MS;
  while (performance.now() < end) {
    const sentAt = performance.now();
    const response = await ask().catch(() => null);
    refusals.slowestMs = Math.max(refusals.slowestMs, performance.now() - sentAt);
    if (!isForNow(response, sentAt, refusals)) return response ?? undefined;
    await delay(RETRY_MS);
  }
  refusals.faults.push(`no answer within ${GIVE_UP_MS / 1000} seconds`);
  return undefined;
}

/**
 * Buys a tool and pays. Most buyers confirm; the webhook tells the shop of the others.
 *
 * @returns what it ended as: `bought`, `sold out`, or `failed`
 */
export async function buy(
  buyer: SignedInBuyer,
  slug: string,
  options: { refusals: Refusals; confirms: boolean; coupon?: string },
): Promise<"bought" | "sold out" | "failed"> {
  const { refusals } = options;
  const started = await persist(() => buyer.start(slug, options.coupon), refusals);
  if (started === undefined) return "failed";
  if (started.order === null) {
    if (started.result.includes("out of stock")) return "sold out";
    refusals.faults.push(`start: ${started.status} ${started.result}`);
    return "failed";
  }
  const payment: SignedPayment = await buyer.pay(started.order.gatewayOrderId);
  if (!options.confirms) return "bought";
  const confirmed = await persist(() => buyer.confirm(payment), refusals);
  // 'pending': the webhook, or the browser's next question, finishes it.
  if (confirmed?.status === 200) return "bought";
  if (confirmed) refusals.faults.push(`confirm: ${confirmed.status} ${confirmed.result}`);
  return "failed";
}
