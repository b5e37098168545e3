import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { users } from "./accounts.ts";
import { couponCodes, tools } from "./catalog.ts";
import { createdAt, moment, primaryId, updatedAt } from "./columns.ts";

/**
 * Purchases and passes. A pass is active when it is completed, not ended, and startsAt ≤ now < expiresAt. Names and prices
 * (paise) are stored as they were at the time of the purchase. Rows are never deleted. The exclusion constraint
 * `user_purchases_no_overlap` (in the migrations) prevents overlapping passes of one user and tool.
 */
export const userPurchases = pgTable(
  "user_purchases",
  {
    id: primaryId(),
    /** What buyers and support call the purchase. The database makes it (migration 0008), also for a version before it. */
    orderNumber: text("order_number").notNull().default(sql`new_order_number()`),
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id),
    userEmail: text("user_email").notNull(),
    toolId: uuid("tool_id").references(() => tools.id),
    toolName: text("tool_name").notNull(),
    optionLabel: text("option_label"),
    /** Days. */
    validityDays: integer("validity").notNull(),
    listPricePaise: integer("list_price_paise").notNull(),
    discountPaise: integer("discount_paise").notNull().default(0),
    /** The charged amount, in paise. */
    amountPaise: integer("amount").notNull(),
    currency: text("currency").notNull().default("INR"),
    /** An older version stored an imported pass as 'active', which means the same as completed. */
    status: text("status", { enum: ["pending", "completed", "failed", "active"] }).notNull(),
    /** An old shop or an admin called the pass 'active'. It is shown where the status is chosen, and decides nothing. */
    calledActive: boolean("called_active").notNull().default(false),
    source: text("source", { enum: ["checkout", "admin", "giveaway", "import"] }).notNull(),
    couponCode: text("coupon_code"),
    /** What brought the buyer to the shop, in the words of a link: `cleanCameFrom`. */
    cameFrom: text("came_from"),
    /** Bought while a pass for the tool ran: it starts when that one ends. */
    isRenewal: boolean("is_renewal").notNull().default(false),
    startsAt: moment("starts_at"),
    capturedAt: moment("captured_at"),
    expiresAt: moment("expires_at"),
    holdEndsAt: moment("hold_ends_at"),
    /** The network of a held checkout whose buyer has never bought; null otherwise. */
    holdNetwork: text("hold_network"),
    stockState: text("stock_state", { enum: ["none", "held", "used", "released"] })
      .notNull()
      .default("none"),
    testMode: boolean("test_mode").notNull().default(false),
    assignedBy: text("assigned_by"),
    notes: text("notes"),
    errorMessage: text("error_message"),
    /** Why a purchase failed. Decides the outcome of a late payment. */
    failedReason: text("failed_reason", {
      enum: ["hold-ended", "closed", "replaced", "gateway", "refunded"],
    }),
    endedAt: moment("ended_at"),
    endedReason: text("ended_reason", {
      enum: ["refunded", "cancelled", "deleted", "user-deleted", "superseded", "charged-back"],
    }),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex("user_purchases_order_number_key").on(table.orderNumber),
    uniqueIndex("user_purchases_one_pending_key")
      .on(table.userId, table.toolId)
      .where(sql`status = 'pending' and source <> 'import'`),
    index("user_purchases_user_idx").on(table.userId, table.createdAt),
    // Counts the active passes of a tool: it has every column of that rule, so that the index alone is read.
    index("user_purchases_active_idx")
      .on(table.toolId, table.expiresAt, table.startsAt, table.status, table.testMode, table.id)
      .where(sql`ended_at is null and expires_at is not null`),
    index("user_purchases_holds_idx").on(table.holdEndsAt).where(sql`status = 'pending'`),
    // The orders, filters and searches of the admin's list. The search by e-mail address uses the index of the accounts.
    // They have all columns that the list's conditions read, so that skipping to a late page reads the index only.
    index("user_purchases_created_idx").on(table.createdAt, table.id, table.status, table.endedReason),
    // For the count of the statistics and the filter of the list: the condition must be the same text as in their statements.
    index("user_purchases_completed_idx")
      .on(table.createdAt, table.id)
      .where(
        sql`status in ('completed', 'active') and (ended_reason is null or ended_reason not in ('deleted', 'user-deleted'))`,
      ),
    index("user_purchases_unpaid_idx")
      .on(table.createdAt, table.id, table.status, table.endedAt, table.endedReason, table.expiresAt)
      .where(sql`status in ('pending', 'failed')`),
    index("user_purchases_expires_idx").on(
      table.expiresAt.desc().nullsLast(),
      table.createdAt.desc().nullsFirst(),
      table.id.desc().nullsFirst(),
      table.endedAt,
      table.status,
      table.endedReason,
    ),
    // The last three columns decide which purchases a list has, so that a search reads the index only.
    index("user_purchases_tool_name_idx").on(
      table.toolName,
      table.createdAt,
      table.id,
      table.status,
      table.endedAt,
      table.expiresAt,
    ),
    // Few amounts differ, so Postgres stores each once, and the index stays small.
    index("user_purchases_amount_idx").on(table.amountPaise),
    index("user_purchases_hold_network_idx").on(table.holdNetwork).where(sql`hold_network is not null`),
    check("user_purchases_amount", sql`${table.amountPaise} >= 0`),
    check("user_purchases_came_from", sql`char_length(${table.cameFrom}) <= 64`),
    check("user_purchases_ended", sql`(${table.endedAt} is null) = (${table.endedReason} is null)`),
    check(
      "user_purchases_completed_has_times",
      sql`${table.status} <> 'completed' or (${table.startsAt} is not null and ${table.expiresAt} is not null)`,
    ),
  ],
);

export type Purchase = typeof userPurchases.$inferSelect;

/** Redemptions: one use of a coupon by one purchase. `couponCodes.usesTaken` is the number of held and used ones. */
export const couponRedemptions = pgTable(
  "coupon_redemptions",
  {
    id: primaryId(),
    purchaseId: uuid("purchase_id")
      .notNull()
      .unique()
      .references(() => userPurchases.id),
    couponId: uuid("coupon_id")
      .notNull()
      .references(() => couponCodes.id),
    state: text("state", { enum: ["held", "used", "released"] }).notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index("coupon_redemptions_coupon_idx").on(table.couponId, table.updatedAt)],
);
