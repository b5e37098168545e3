import { rmSync } from "node:fs";
import { type FakeGateway, startFakeGateway } from "../fake-gateway/fake-gateway.ts";
import { freePort } from "../free-port.ts";
import { ADMIN_PASSWORD, makeDataDir, startShopProcess } from "./shop-process.ts";

/** During a rotation of secrets the gateway may sign with either. */
export const WEBHOOK_SECRETS = { current: "current-webhook-secret", last: "last-webhook-secret" } as const;

type Mode = "test" | "live";

/** A shop that uses Razorpay, with the fake gateway in its place. */
export interface RazorpayShop {
  readonly url: string;
  readonly dataDir: string;
  /** The fake gateway of the current mode. Each mode has its own records. */
  readonly gateway: FakeGateway;
  restart(): Promise<void>;
  /** Restarts the shop with the keys of a mode, unless it has them. */
  useKeys(keys: Mode): Promise<void>;
  stop(): Promise<void>;
}

export async function startRazorpayShop(): Promise<RazorpayShop> {
  const dataDir = makeDataDir();
  const port = await freePort();
  const gatewayWith = (keyId: string) =>
    startFakeGateway({
      keyId,
      webhookUrl: `http://127.0.0.1:${port}/webhooks/razorpay`,
      webhookSecret: WEBHOOK_SECRETS.current,
    });
  const gateways = {
    test: await gatewayWith("rzp_test_JourneysKey01"),
    live: await gatewayWith("rzp_live_JourneysKey01"),
  };
  let mode: Mode = "test";
  const start = () => {
    const { url, keyId, keySecret } = gateways[mode];
    const settings = {
      ADMIN_PASSWORD,
      RAZORPAY_KEY_ID: keyId,
      RAZORPAY_KEY_SECRET: keySecret,
      RAZORPAY_WEBHOOK_SECRET: `${WEBHOOK_SECRETS.current},${WEBHOOK_SECRETS.last}`,
      RAZORPAY_API_URL: url,
    };
    return startShopProcess({ dataDir, port, settings });
  };
  let shop = await start();
  const restart = async () => {
    await shop.stop();
    shop = await start();
  };
  return {
    url: shop.url,
    dataDir,
    get gateway() {
      return gateways[mode];
    },
    restart,
    async useKeys(keys) {
      if (mode === keys) return;
      mode = keys;
      await restart();
    },
    async stop() {
      await shop.stop();
      for (const gateway of Object.values(gateways)) await gateway.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
