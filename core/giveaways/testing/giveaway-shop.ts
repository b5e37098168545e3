import { freshDatabase } from "../../../tools/testing/database.ts";
import { createManualClock } from "../../../tools/testing/manual-clock.ts";
import { openTestShop } from "../../../tools/testing/open-test-shop.ts";
import { saveSetting } from "../../catalog/queries.server.ts";
import { STORE_SETTINGS_KEY } from "../../catalog/seed-catalogue.server.ts";
import { readTodaysGiveaway } from "../read-giveaways.server.ts";

/** A shop whose owner can choose the tool of the giveaway. Its clock starts at noon in India. */
export async function openGiveawayShop() {
  const shop = openTestShop(await freshDatabase(), { clock: createManualClock(), connections: 8 });
  return {
    ...shop,
    /** What the owner sets; without a tool there is no giveaway. */
    chooseGiveaway: (choice: { giveawayToolSlug?: string; giveawayValidityDays?: number }) =>
      saveSetting(shop.db, STORE_SETTINGS_KEY, { name: "Shop", ...choice }),
    /** The id of today's round, which must exist. */
    async todaysRoundId(): Promise<string> {
      const today = await readTodaysGiveaway(shop.visitor());
      if (today === null) throw new Error("there is no giveaway today");
      return today.roundId;
    },
  };
}
