import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import pg from "pg";
import { freePort } from "../tools/testing/free-port.ts";
import { startThrowawayPostgres } from "../tools/testing/throwaway-postgres.ts";
import { type GatewayProcess, startGateway, stopGateway } from "./gateway-process.ts";
import { newDataDir, type ShopProcess, startShop, stopShop } from "./shop-process.ts";

/** Built shops on one Postgres and one fake gateway, as behind a load balancer: one public address, keys they share. */
export interface ShopCluster {
  /** The first gets the webhooks. */
  shops: ShopProcess[];
  /** What a browser would say where it comes from. */
  origin: string;
  authSecret: string;
  gateway: GatewayProcess;
  /** For preparing and for reading the books. */
  books: pg.Client;
  /** Starts the shop at this place again after its end. */
  restart(place: number): Promise<void>;
  close(): Promise<void>;
}

export async function startCluster(processes: number): Promise<ShopCluster> {
  const ports = await freePorts(processes);
  const origin = `http://localhost:${ports[0]}`;
  const dataDir = newDataDir();
  const postgres = await startThrowawayPostgres();
  const gateway = await startGateway(`${origin}/webhooks/razorpay`);
  const authSecret = randomBytes(32).toString("hex");
  const env = {
    ...gateway.env,
    DATABASE_URL: postgres.url,
    ORIGIN: origin,
    AUTH_SECRET: authSecret,
    VAULT_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    DEMO: "0",
  };
  const startAt = (port: number) => startShop({ dataDir, port, env });
  const books = new pg.Client({ connectionString: postgres.url });
  const shops: ShopProcess[] = [];
  const close = async () => {
    await Promise.all(shops.map((shop) => stopShop(shop)));
    await stopGateway(gateway);
    await books.end();
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    for (const port of ports) shops.push(await startAt(port));
    await books.connect();
  } catch (error) {
    await close();
    throw error;
  }
  const restart = async (place: number) => {
    shops[place] = await startAt(ports[place] ?? 0);
  };
  return { shops, origin, authSecret, gateway, books, restart, close };
}

async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}
