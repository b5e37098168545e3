import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import pg from "pg";
import { startThrowawayPostgres } from "#tests/database/throwaway-postgres.ts";
import { freePort } from "#tests/free-port.ts";
import { type GatewayProcess, startGateway, stopGateway } from "./gateway-process.ts";
import { startPgBouncer } from "./pgbouncer.ts";
import { createDataDir, type ShopProcess, startShop, stopShop } from "./shop-process.ts";

/** Built shops on one Postgres and one fake gateway, as behind a load balancer: one public address and shared keys. */
export interface ShopCluster {
  /** The first receives the webhooks. */
  shops: ShopProcess[];
  /** The Origin header of browsers. */
  origin: string;
  authSecret: string;
  gateway: GatewayProcess;
  /** For inserting and reading rows. */
  database: pg.Client;
  /** Starts an ended shop again. */
  restart(index: number): Promise<void>;
  close(): Promise<void>;
}

export interface ClusterOptions {
  /** Environment of the shops, besides what connects them. */
  env?: Record<string, string>;
  /** The shops query the database through PgBouncer in transaction mode. */
  pooler?: boolean;
}

export async function startCluster(processes: number, options: ClusterOptions = {}): Promise<ShopCluster> {
  const ports = await freePorts(processes);
  const origin = `http://localhost:${ports[0]}`;
  const dataDir = createDataDir();
  const postgres = await startThrowawayPostgres();
  const gateway = await startGateway(`${origin}/webhooks/razorpay`);
  const pooler = options.pooler ? await startPgBouncer(postgres.url) : undefined;
  const authSecret = randomBytes(32).toString("hex");
  const env = {
    ...gateway.env,
    DATABASE_URL: pooler?.url ?? postgres.url,
    ...(pooler && { DATABASE_DIRECT_URL: postgres.url }),
    ORIGIN: origin,
    AUTH_SECRET: authSecret,
    VAULT_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    DEMO: "0",
    ...options.env,
  };
  const startAt = (port: number) => startShop({ dataDir, port, env });
  const database = new pg.Client({ connectionString: postgres.url });
  const shops: ShopProcess[] = [];
  const close = async () => {
    await Promise.all(shops.map((shop) => stopShop(shop)));
    await stopGateway(gateway);
    await database.end();
    await pooler?.stop();
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    for (const port of ports) shops.push(await startAt(port));
    await database.connect();
  } catch (error) {
    await close();
    throw error;
  }
  const restart = async (index: number) => {
    shops[index] = await startAt(ports[index] ?? 0);
  };
  return { shops, origin, authSecret, gateway, database, restart, close };
}

export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}
