import { once } from "node:events";
import { rmSync } from "node:fs";
import type { RemoteFakeGateway } from "#tests/fake-gateway/remote.ts";
import { freePort } from "#tests/free-port.ts";
import type { Random } from "#tests/random.ts";
import { startGateway } from "../support/gateway-process.ts";
import { connectToShop } from "../support/shop-database.ts";
import {
  createDataDir,
  listPostmasters,
  type ShopProcess,
  startShop,
  stopShop,
} from "../support/shop-process.ts";
import { insertCatalogue, type StockTotals } from "./catalogue.ts";
import { killShop, restartShop, type Target } from "./kill.ts";
import { installStatementBreakpoints } from "./statement-breakpoints.ts";
import { startWebhookProxy, type WebhookProxy } from "./webhook-proxy.ts";

/** The shop with its catalogue and breakpoints, the fake gateway, and the webhook proxy between them. */
export interface Environment {
  shopUrl: string;
  dataDir: string;
  gateway: RemoteFakeGateway;
  webhookProxy: WebhookProxy;
  stockTotals: StockTotals;
  kill(target: Target): Promise<Killed>;
  /** Starts the shop again, if necessary twice. @returns milliseconds it took, and the problem if there was one */
  restart(killed: Killed): Promise<{ tookMs: number; problem: string | null }>;
  /** Stops the shop with SIGTERM and starts it again. */
  restartCleanly(): Promise<void>;
  /** Stops everything. @returns how many database servers still run */
  close(): Promise<number>;
}

interface Killed {
  target: Target;
  postmasters: readonly number[];
}

export async function createEnvironment(random: Random): Promise<Environment> {
  const port = await freePort();
  const shopUrl = `http://localhost:${port}`;
  const webhookProxy = await startWebhookProxy({ shopUrl, random });
  const { control: gateway, child: gatewayProcess, env } = await startGateway(webhookProxy.url);
  const options = { dataDir: createDataDir(), port, env };
  const { dataDir } = options;
  let shop: ShopProcess = await startShop(options);
  const client = await connectToShop(dataDir);
  const stockTotals = await insertCatalogue(client);
  await installStatementBreakpoints(client);
  await client.end();

  return {
    shopUrl,
    dataDir,
    gateway,
    webhookProxy,
    stockTotals,
    kill: async (target) => ({ target, postmasters: await killShop(shop, options, target) }),
    async restart(killed) {
      const began = performance.now();
      let problem: string | null = null;
      try {
        shop = await restartShop(shop, options, killed);
      } catch (error) {
        problem = `failed restart: ${String(error)}`;
        await stopShop(shop, "SIGKILL");
        shop = await startShop(options);
      }
      return { tookMs: performance.now() - began, problem };
    },
    async restartCleanly() {
      await stopShop(shop);
      shop = await startShop(options);
    },
    async close() {
      await stopShop(shop);
      const left = listPostmasters(dataDir).length;
      const ended = once(gatewayProcess, "exit");
      // It has no state to save, and would keep sending webhooks to the stopped shop.
      gatewayProcess.kill("SIGKILL");
      await ended;
      await webhookProxy.close();
      rmSync(dataDir, { recursive: true, force: true });
      return left;
    },
  };
}
