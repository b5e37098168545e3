import { once } from "node:events";
import { rmSync } from "node:fs";
import type { RemoteFakeGateway } from "../../tools/testing/fake-gateway/remote.ts";
import { freePort } from "../../tools/testing/free-port.ts";
import type { Random } from "../../tools/testing/random.ts";
import { startGateway } from "../gateway-process.ts";
import { connectToShop } from "../shop-database.ts";
import { newDataDir, postmastersOf, type ShopProcess, startShop, stopShop } from "../shop-process.ts";
import { bringBack, kill, type Target } from "./kill.ts";
import { openMarket, type Shelves } from "./market.ts";
import { installStatementStops } from "./statement-stops.ts";
import { openWebhookRoad, type WebhookRoad } from "./webhook-road.ts";

/** The shop, the gateway and the road between them, with full shelves and a stop at every point. */
export interface Stage {
  shopUrl: string;
  dataDir: string;
  gateway: RemoteFakeGateway;
  road: WebhookRoad;
  shelves: Shelves;
  kill(target: Target): Promise<Killed>;
  /** Also when the shop does not come up at first. @returns milliseconds it took, and what went wrong meanwhile */
  bringBack(killed: Killed): Promise<{ tookMs: number; problem: string | null }>;
  /** Stops the shop as its owner does, and starts it again. */
  restartGently(): Promise<void>;
  /** Stops everything. @returns how many database servers stayed behind */
  close(): Promise<number>;
}

interface Killed {
  target: Target;
  postmasters: readonly number[];
}

export async function setStage(random: Random): Promise<Stage> {
  const port = await freePort();
  const shopUrl = `http://localhost:${port}`;
  const road = await openWebhookRoad({ shopUrl, random });
  const { control: gateway, child: gatewayProcess, env } = await startGateway(road.url);
  const place = { dataDir: newDataDir(), port, env };
  const { dataDir } = place;
  let shop: ShopProcess = await startShop(place);
  const client = await connectToShop(dataDir);
  const shelves = await openMarket(client);
  await installStatementStops(client);
  await client.end();

  return {
    ...{ shopUrl, dataDir, gateway, road, shelves },
    kill: async (target) => ({ target, postmasters: await kill(shop, place, target) }),
    async bringBack(killed) {
      const began = performance.now();
      let problem: string | null = null;
      try {
        shop = await bringBack(shop, place, killed);
      } catch (error) {
        problem = `failed restart: ${String(error)}`;
        await stopShop(shop, "SIGKILL");
        shop = await startShop(place);
      }
      return { tookMs: performance.now() - began, problem };
    },
    async restartGently() {
      await stopShop(shop);
      shop = await startShop(place);
    },
    async close() {
      await stopShop(shop);
      const left = postmastersOf(dataDir).length;
      const ended = once(gatewayProcess, "exit");
      // It has nothing to keep, and would go on telling a shop that is gone.
      gatewayProcess.kill("SIGKILL");
      await ended;
      await road.close();
      rmSync(dataDir, { recursive: true, force: true });
      return left;
    },
  };
}
