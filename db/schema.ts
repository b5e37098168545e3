import { authAccounts, sessions, users, verifications } from "./tables/accounts.ts";
import { couponCodes, stockAlerts, toolLogos, toolPageGrants, tools } from "./tables/catalog.ts";
import { deviceSessions, devices, deviceTickets } from "./tables/devices.ts";
import { giveawayRounds } from "./tables/giveaways.ts";
import { importedDocuments } from "./tables/imports.ts";
import {
  adminRefusals,
  auditEvents,
  bulkActionRows,
  bulkActions,
  jobRuns,
  mailMessages,
  passReminders,
  rateLimits,
  settings,
} from "./tables/operations.ts";
import {
  credits,
  paymentAttempts,
  paymentDisputes,
  paymentOrders,
  payouts,
  refunds,
  unknownPayments,
  webhookEvents,
} from "./tables/payments.ts";
import { couponRedemptions, userPurchases } from "./tables/purchases.ts";
import {
  sandboxDisputes,
  sandboxOrders,
  sandboxPayments,
  sandboxRefunds,
  sandboxWebhooks,
} from "./tables/sandbox.ts";
import { accessCodeReports, accessCodes, codesUsedUpNotices, credentials } from "./tables/vault.ts";

/** Every table, for the query builder and for the generated migrations. */
export const schema = {
  users,
  sessions,
  authAccounts,
  verifications,
  toolLogos,
  tools,
  toolPageGrants,
  couponCodes,
  stockAlerts,
  userPurchases,
  couponRedemptions,
  passReminders,
  giveawayRounds,
  paymentOrders,
  paymentAttempts,
  refunds,
  paymentDisputes,
  credits,
  payouts,
  unknownPayments,
  webhookEvents,
  jobRuns,
  accessCodes,
  accessCodeReports,
  codesUsedUpNotices,
  credentials,
  devices,
  deviceTickets,
  deviceSessions,
  settings,
  mailMessages,
  auditEvents,
  adminRefusals,
  bulkActions,
  bulkActionRows,
  rateLimits,
  importedDocuments,
  sandboxOrders,
  sandboxPayments,
  sandboxRefunds,
  sandboxDisputes,
  sandboxWebhooks,
};

/** A table by its name in code. */
export type TableName = keyof typeof schema;
export type SchemaTable = (typeof schema)[TableName];
