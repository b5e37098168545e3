import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { users } from "./accounts.ts";
import { tools } from "./catalog.ts";
import { createdAt, moment, primaryId, updatedAt, version } from "./columns.ts";
import { userPurchases } from "./purchases.ts";

/**
 * Access codes of the servers of a tool. Both codes are sealed (AES-256-GCM, AAD = table|row|column). The hash columns
 * are keyed hashes, to find a row by its code. `serverName` is the name of a server of the tool.
 */
export const accessCodes = pgTable(
  "access_codes",
  {
    id: primaryId(),
    toolId: uuid("tool_id")
      .notNull()
      .references(() => tools.id),
    serverName: text("server_name").notNull(),
    simpleCodeSealed: text("simple_code_sealed").notNull(),
    simpleCodeHash: text("simple_code_hash").notNull(),
    /**
     * Keyed hash of the code in upper case: codes that differ only in case are one code. The hash above stays, because an older
     * version finds codes by it. null: an older version has stored the code; the next start fills it in.
     */
    simpleCodeKey: text("simple_code_key"),
    /** 0. Codes that an older version has stored and that differ only in case have different numbers. */
    simpleCodeTwin: integer("simple_code_twin").notNull().default(0),
    sessionCodeSealed: text("session_code_sealed").notNull(),
    sessionCodeHash: text("session_code_hash").notNull(),
    isActive: boolean("is_active").notNull().default(true),
    /** The code is for one buyer: a pass takes it at its first reveal. Its server then hands out no others. */
    perBuyer: boolean("per_buyer").notNull().default(false),
    /** The pass that has taken the code, for good. */
    passId: uuid("pass_id").references(() => userPurchases.id),
    takenAt: moment("taken_at"),
    /** When the simple code was last changed: reports about the code before are no longer counted. */
    codeChangedAt: moment("code_changed_at").notNull().defaultNow(),
    version: version(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index("access_codes_tool_idx").on(table.toolId, table.serverName),
    // Counts the codes of a server for one buyer each, with and without a pass. The name itself is in it, because Postgres
    // reads an index with an expression alone only when the index has the column too.
    index("access_codes_per_buyer_idx")
      .on(table.toolId, sql`lower(btrim(${table.serverName}))`, table.passId, table.serverName)
      .where(sql`is_active and per_buyer`),
    uniqueIndex("access_codes_simple_key").on(table.simpleCodeHash),
    uniqueIndex("access_codes_any_case_key").on(table.simpleCodeKey, table.simpleCodeTwin),
    index("access_codes_session_idx").on(table.sessionCodeHash),
    index("access_codes_created_idx").on(table.createdAt, table.id),
    uniqueIndex("access_codes_pass_key")
      .on(table.passId, table.toolId, sql`lower(btrim(${table.serverName}))`)
      .where(sql`pass_id is not null and is_active`),
    check("access_codes_taken_per_buyer", sql`${table.passId} is null or ${table.perBuyer}`),
    check("access_codes_taken_at", sql`(${table.passId} is null) = (${table.takenAt} is null)`),
  ],
);

/** When the owner was last told that all codes of a server are used. */
export const codesUsedUpNotices = pgTable(
  "codes_used_up_notices",
  {
    id: primaryId(),
    toolId: uuid("tool_id")
      .notNull()
      .references(() => tools.id, { onDelete: "cascade" }),
    serverName: text("server_name").notNull(),
    toldAt: moment("told_at").notNull(),
  },
  (table) => [uniqueIndex("codes_used_up_notices_key").on(table.toolId, table.serverName)],
);

/** Reports of buyers that the code of a server does not work. */
export const accessCodeReports = pgTable(
  "access_code_reports",
  {
    id: primaryId(),
    accessCodeId: uuid("access_code_id")
      .notNull()
      .references(() => accessCodes.id, { onDelete: "cascade" }),
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    createdAt: createdAt(),
  },
  (table) => [
    index("access_code_reports_code_idx").on(table.accessCodeId, table.createdAt),
    index("access_code_reports_user_idx").on(table.userId, table.accessCodeId, table.createdAt),
  ],
);

/** Shared credentials of a service. The password is sealed. */
export const credentials = pgTable(
  "credentials",
  {
    id: primaryId(),
    service: text("service").notNull(),
    email: text("email").notNull(),
    passwordSealed: text("password_sealed").notNull(),
    /** When the e-mail address or the password was last changed. */
    signInChangedAt: moment("sign_in_changed_at").notNull().defaultNow(),
    isActive: boolean("is_active").notNull().default(true),
    version: version(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [uniqueIndex("credentials_sign_in_key").on(table.service, sql`lower(${table.email})`)],
);
