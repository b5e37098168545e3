import { sql } from "drizzle-orm";
import { index, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { users } from "./accounts.ts";
import { tools } from "./catalog.ts";
import { createdAt, moment, primaryId } from "./columns.ts";
import { accessCodes } from "./vault.ts";

/**
 * Installations of the browser extension, one row for each time that one is connected to an account. A row without
 * `releasedAt` counts against the limit of the account. The extension holds the token; only its hash is stored.
 */
export const devices = pgTable(
  "devices",
  {
    id: primaryId(),
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** A random id that the extension made when it was installed. */
    installationId: uuid("installation_id").notNull(),
    name: text("name").notNull(),
    extensionVersion: text("extension_version").notNull(),
    tokenHash: text("token_hash").notNull().unique(),
    lastSeenAt: moment("last_seen_at").notNull(),
    releasedAt: moment("released_at"),
    /**
     * Only releases by the buyer are limited. A new password and a deactivation release all devices of the account; a device that
     * was not used for 180 days is released when another device connects.
     */
    releasedBy: text("released_by", { enum: ["user", "admin", "password-reset", "deactivation", "expiry"] }),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("devices_installation_key")
      .on(table.userId, table.installationId)
      .where(sql`released_at is null`),
    index("devices_user_idx").on(table.userId, table.createdAt),
    // For purge-expired.
    index("devices_last_seen_idx").on(table.lastSeenAt),
  ],
);

/** Tickets that connect an installation to an account: valid once, for a minute. Only the hash is stored. */
export const deviceTickets = pgTable(
  "device_tickets",
  {
    ticketHash: text("ticket_hash").primaryKey(),
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    expiresAt: moment("expires_at").notNull(),
    usedAt: moment("used_at"),
  },
  (table) => [
    index("device_tickets_expires_idx").on(table.expiresAt),
    index("device_tickets_user_idx").on(table.userId),
  ],
);

/** Access codes that a device has redeemed: one row for each device and server. It is valid as long as the pass. */
export const deviceSessions = pgTable(
  "device_sessions",
  {
    id: primaryId(),
    deviceId: uuid("device_id")
      .notNull()
      .references(() => devices.id, { onDelete: "cascade" }),
    toolId: uuid("tool_id")
      .notNull()
      .references(() => tools.id),
    serverId: text("server_id").notNull(),
    /** null when the code was deleted later. */
    accessCodeId: uuid("access_code_id").references(() => accessCodes.id, { onDelete: "set null" }),
    redeemedAt: moment("redeemed_at").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("device_sessions_server_key").on(table.deviceId, table.toolId, table.serverId),
    index("device_sessions_access_code_idx").on(table.accessCodeId),
  ],
);
