import { sql } from "drizzle-orm";
import { boolean, check, index, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import type { Language } from "#languages/languages.ts";
import { createdAt, hasJoiners, moment, primaryId, updatedAt } from "./columns.ts";

/**
 * Accounts. `email` is stored lower-case. `role` is 'user' or 'admin' and is never taken from input. A deleted user
 * keeps the row under an anonymous address, because rows of the ledger refer to it.
 */
export const users = pgTable(
  "users",
  {
    id: primaryId(),
    email: text("email").notNull(),
    emailVerified: boolean("email_verified").notNull().default(false),
    name: text("display_name").notNull().default(""),
    image: text("photo_url"),
    role: text("role", { enum: ["user", "admin"] })
      .notNull()
      .default("user"),
    provider: text("provider", { enum: ["email", "google", "admin"] })
      .notNull()
      .default("email"),
    /** The language of the mails to a buyer: the language of the last sign-in, or the language chosen since. */
    language: text("language").$type<Language>().notNull().default("en"),
    isActive: boolean("is_active").notNull().default(true),
    /** Whether the buyer wants a mail before a pass ends. */
    wantsReminders: boolean("wants_reminders").notNull().default(true),
    /** An admin's password that the shop made and showed in a terminal: the person has set none since. */
    passwordIsGenerated: boolean("password_is_generated").notNull().default(false),
    lastLogin: moment("last_login"),
    deletedAt: moment("deleted_at"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex("users_email_key").on(table.email),
    // The orders, the filter and the search of the admin's list.
    index("users_created_idx").on(table.createdAt, table.id).where(sql`deleted_at is null`),
    index("users_last_login_idx")
      .on(table.lastLogin.desc().nullsLast(), table.id.desc().nullsFirst())
      .where(sql`deleted_at is null`),
    index("users_provider_idx").on(table.provider, table.createdAt, table.id).where(sql`deleted_at is null`),
    index("users_provider_login_idx")
      .on(table.provider, table.lastLogin.desc().nullsLast(), table.id.desc().nullsFirst())
      .where(sql`deleted_at is null`),
    index("users_search_idx").using("gin", table.email.op("gin_trgm_ops"), table.name.op("gin_trgm_ops")),
    index("users_joined_names_idx").on(table.id).where(hasJoiners(table.name)),
    check("users_email_lower", sql`${table.email} = lower(${table.email})`),
  ],
);

/** Browser sessions. The browser has the token in an http-only cookie. */
export const sessions = pgTable(
  "sessions",
  {
    id: primaryId(),
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    token: text("token").notNull().unique(),
    expiresAt: moment("expires_at").notNull(),
    ipAddress: text("ip_address"),
    userAgent: text("user_agent"),
    /** When the password was last entered in this session; null: at its start, if at all. */
    passwordEnteredAt: moment("password_entered_at"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index("sessions_user_id_idx").on(table.userId)],
);

/**
 * Ways to sign in: one row for each provider and user. `password` is a scrypt hash on the row of the e-mail sign-in; it names its
 * parameters, unless Better Auth made it. The hash of an imported account is of another scrypt until the first sign-in.
 */
export const authAccounts = pgTable(
  "auth_accounts",
  {
    id: primaryId(),
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    accountId: text("account_id").notNull(),
    providerId: text("provider_id").notNull(),
    /** The OpenID provider of a link, such as Google; empty for a password. */
    issuer: text("issuer").notNull().default(""),
    accessToken: text("access_token"),
    refreshToken: text("refresh_token"),
    idToken: text("id_token"),
    accessTokenExpiresAt: moment("access_token_expires_at"),
    refreshTokenExpiresAt: moment("refresh_token_expires_at"),
    scope: text("scope"),
    password: text("password"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index("auth_accounts_user_id_idx").on(table.userId),
    uniqueIndex("auth_accounts_provider_key").on(table.providerId, table.issuer, table.accountId),
  ],
);

/** Short-lived tokens: password resets and sign-in state. */
export const verifications = pgTable(
  "verifications",
  {
    id: primaryId(),
    identifier: text("identifier").notNull(),
    value: text("value").notNull(),
    expiresAt: moment("expires_at").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index("verifications_identifier_idx").on(table.identifier)],
);
