import type { TableName } from "#db/schema.ts";
import type { Actor } from "../context.ts";

/**
 * What a live update may be about. `stock`: the tools that the shop shows have changed, their stock above all. `codes`: an
 * access code or a shared credential has changed or was reported, for the open tool pages of buyers. `giveaway`: the daily
 * giveaway was opened or claimed. `sessions`: sessions have ended; a stream hears of it only when its own is one of them.
 */
export const TOPICS = [
  "users",
  "tools",
  "access-codes",
  "purchases",
  "coupons",
  "credentials",
  "settings",
  "bulk-actions",
  "audit",
  "stock",
  "codes",
  "giveaway",
  "sessions",
] as const;

export type Topic = (typeof TOPICS)[number];

/** How many milliseconds ago topics have changed. */
export type TopicAges = Partial<Record<Topic, number>>;

/** The topics that everybody may hear. */
const PUBLIC_TOPICS: readonly Topic[] = ["stock", "giveaway"];

/** What signed-in users may hear besides. */
const USER_TOPICS: readonly Topic[] = [...PUBLIC_TOPICS, "codes", "sessions"];

/** What a change of a table is about. A table without topics is on no screen, or changes with another that has one. */
const TOPICS_OF_TABLE: Readonly<Record<TableName, readonly Topic[]>> = {
  users: ["users"],
  sessions: ["sessions"],
  authAccounts: [],
  verifications: [],
  toolLogos: [],
  tools: ["tools", "stock"],
  toolPageGrants: ["tools"],
  couponCodes: ["coupons"],
  stockAlerts: ["tools"],
  userPurchases: ["purchases"],
  passReminders: [],
  couponRedemptions: ["coupons"],
  giveawayRounds: ["giveaway"],
  paymentOrders: ["purchases"],
  paymentAttempts: ["purchases"],
  refunds: ["purchases"],
  paymentDisputes: ["purchases"],
  credits: ["purchases"],
  payouts: ["purchases"],
  unknownPayments: ["purchases"],
  webhookEvents: ["purchases"],
  accessCodes: ["access-codes", "codes", "tools", "stock"],
  codesUsedUpNotices: [],
  accessCodeReports: ["access-codes", "codes"],
  credentials: ["credentials", "codes", "tools", "stock"],
  settings: ["settings"],
  jobRuns: [],
  mailMessages: [],
  auditEvents: ["audit"],
  adminRefusals: [],
  bulkActions: ["bulk-actions"],
  bulkActionRows: ["bulk-actions"],
  rateLimits: [],
  importedDocuments: [],
  devices: ["users"],
  deviceTickets: [],
  deviceSessions: [],
  sandboxOrders: [],
  sandboxPayments: [],
  sandboxRefunds: [],
  sandboxDisputes: [],
  sandboxWebhooks: [],
};

/** The topics of changed tables, each once. */
export function topicsOfTables(tables: Iterable<TableName>): Topic[] {
  const topics = new Set<Topic>();
  for (const table of tables) for (const topic of TOPICS_OF_TABLE[table]) topics.add(topic);
  return [...topics];
}

/** The topics that an actor may hear: an admin all, a user also the topics of tool pages, everybody else the public topics. */
export function topicsFor(actor: Actor): readonly Topic[] {
  if (actor.kind === "admin") return TOPICS;
  return actor.kind === "user" ? USER_TOPICS : PUBLIC_TOPICS;
}

export function isTopic(value: unknown): value is Topic {
  return TOPICS.some((topic) => topic === value);
}

export type LiveEvent =
  /** `version` grows with every change of any topic, in all processes on one database. Decimal digits. */
  | { kind: "changed"; topic: Topic; version: string }
  /** Changes are not heard for now. */
  | { kind: "paused" }
  /** Changes are heard again. Any may have been missed. */
  | { kind: "resumed" };

/** Tells which topics change, in all processes on one database. */
export interface LiveUpdates {
  /** @returns a function that ends the subscription */
  subscribe(listener: (event: LiveEvent) => void): () => void;
  isListening(): boolean;
  /** The topics that changed within the last minute. All may have, until changes have been heard for a minute. */
  recentChanges(): TopicAges;
}
