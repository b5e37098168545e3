import { rmSync } from "node:fs";
import { freePort } from "../tools/testing/free-port.ts";
import { makeDataDir, startShopProcess } from "./shop-process.ts";

/** The admin's password in all tests. */
export const ADMIN_PASSWORD = "a-password-for-journeys";

/**
 * Starts the built shop with its own database and sets E2E_BASE_URL to its address and E2E_DATA_DIR to its folder. When both
 * are set already, the tests use that shop.
 */
export default async function startShop(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.E2E_BASE_URL && process.env.E2E_DATA_DIR) return undefined;
  const dataDir = makeDataDir();
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  try {
    const shop = await startShopProcess({ dataDir, port: await freePort(), settings: { ADMIN_PASSWORD } });
    process.env.E2E_BASE_URL = shop.url;
    process.env.E2E_DATA_DIR = dataDir;
    return async () => {
      await shop.stop();
      remove();
    };
  } catch (error) {
    remove();
    throw error;
  }
}
