import type { StoreConfig } from "#core/context.ts";

/** The settings of a small Indian shop that has filled in nothing of its own. */
export function testStore(origin: string): StoreConfig {
  return {
    origin,
    timeZone: "Asia/Kolkata",
    adminEmail: "owner@example.com",
    supportPhones: null,
    dealsChannelUrl: null,
    demoVideoUrl: null,
    perAddressFactor: 1,
  };
}
