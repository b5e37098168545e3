import type { Page } from "@playwright/test";

/** Holds the requests to an address, so that a test can look at what waits for them. @returns lets them go on */
export async function holdRequests(page: Page, address: string | RegExp): Promise<() => void> {
  let release: (() => void) | undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(address, async (route) => {
    await released;
    await route.continue();
  });
  return () => release?.();
}
