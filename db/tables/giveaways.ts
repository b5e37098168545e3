import { sql } from "drizzle-orm";
import { check, integer, pgTable, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { users } from "./accounts.ts";
import { tools } from "./catalog.ts";
import { createdAt, moment, primaryId } from "./columns.ts";
import { userPurchases } from "./purchases.ts";

/**
 * Rounds of the daily giveaway: one for each day of the store on which somebody looked at it. Its time, its tool and the
 * validity of its pass do not change. The exclusion constraint `giveaway_rounds_no_overlap` (in the migrations) prevents
 * two rounds at the same time.
 */
export const giveawayRounds = pgTable(
  "giveaway_rounds",
  {
    id: primaryId(),
    startsAt: moment("starts_at").notNull(),
    endsAt: moment("ends_at").notNull(),
    toolId: uuid("tool_id")
      .notNull()
      .references(() => tools.id),
    /** Days. */
    validityDays: integer("validity").notNull(),
    winnerUserId: uuid("winner_user_id").references(() => users.id),
    claimedAt: moment("claimed_at"),
    purchaseId: uuid("purchase_id")
      .unique()
      .references(() => userPurchases.id),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("giveaway_rounds_start_key").on(table.startsAt),
    check("giveaway_rounds_times", sql`${table.startsAt} < ${table.endsAt}`),
    check("giveaway_rounds_validity", sql`${table.validityDays} > 0`),
    // The winner, the moment and the pass belong together.
    check(
      "giveaway_rounds_claim",
      sql`num_nonnulls(${table.winnerUserId}, ${table.claimedAt}, ${table.purchaseId}) in (0, 3)`,
    ),
  ],
);

export type GiveawayRound = typeof giveawayRounds.$inferSelect;
