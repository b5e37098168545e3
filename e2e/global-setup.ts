import { rmSync } from "node:fs";
import { freePort } from "../tools/testing/free-port.ts";
import { makeDataDir, startShopProcess } from "./shop-process.ts";

/** The admin's password in every journey. */
export const ADMIN_PASSWORD = "a-password-for-journeys";

/**
 * Starts the built shop with a database of its own and leaves its address in E2E_BASE_URL and its folder in E2E_DATA_DIR.
 * Where both are set already, that shop is used as it is.
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
