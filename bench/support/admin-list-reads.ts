import { listAccessCodes } from "#core/access-codes/list-access-codes.server.ts";
import { listUsers } from "#core/accounts/manage-users.server.ts";
import { listAuditEvents } from "#core/audit/list-audit-events.server.ts";
import { requireAdmin } from "#core/authorise.ts";
import { listToolsForAdmin } from "#core/catalog/list-tools-for-admin.server.ts";
import type { Context } from "#core/context.ts";
import { listCoupons } from "#core/coupons/manage-coupons.server.ts";
import { listCredentials } from "#core/credentials/manage-credentials.server.ts";
import type { ListInput } from "#core/lists/paging.ts";
import { listPurchases } from "#core/passes/list-purchases.server.ts";
import { forgetFigures } from "#core/reports/figures.server.ts";
import { readDashboardStatistics, readOverview, readTabCounts } from "#core/reports/read-dashboard.server.ts";
import { paymentAttempts } from "#db/tables/payments.ts";

export type Read = (ctx: Context) => Promise<unknown>;

/** Every list, search, filter, order and card of the admin that is measured. */
export const reads: Record<string, Read> = {};

function addLists(
  name: string,
  list: (ctx: Context, input: ListInput) => Promise<unknown>,
  inputs: Record<string, ListInput>,
) {
  for (const [what, input] of Object.entries(inputs)) reads[`${name}: ${what}`] = (ctx) => list(ctx, input);
}

addLists("users", listUsers, {
  "first page": {},
  "oldest first": { direction: "asc" },
  "last page": { page: "200" },
  "last sign-in": { sort: "lastLogin" },
  "last sign-in, last page": { sort: "lastLogin", direction: "asc", page: "200" },
  "by e-mail": { sort: "email", direction: "asc", page: "200" },
  Google: { provider: "google" },
  "Google, last page": { provider: "google", page: "200" },
  "Google by sign-in": { provider: "google", sort: "lastLogin", page: "100" },
  "search rare": { q: "buyer4711." },
  "search name": { q: "rao 17" },
  "search common": { q: "gmail" },
  "search common, last page": { q: "gmail", page: "20" },
  "search common, oldest first": { q: "buyer", direction: "asc" },
  "search some thousands": { q: "asha rao 1" },
  "search two letters": { q: "bu" },
  "search two letters, no hit": { q: "zq" },
  "search no hit": { q: "nobody@nowhere" },
  "search Google": { q: "asha", provider: "google", sort: "lastLogin" },
});
addLists("purchases", listPurchases, {
  "first page": {},
  "last page": { page: "200", direction: "asc" },
  "by expiry": { sort: "expiresAt", page: "200" },
  completed: { status: "completed", page: "200" },
  "failed by expiry": { status: "failed", sort: "expiresAt" },
  current: { current: "1" },
  "current, oldest first": { current: "1", direction: "asc" },
  "current, last page": { current: "1", page: "200" },
  "current, by expiry": { current: "1", sort: "expiresAt" },
  "current, soonest expiry": { current: "1", sort: "expiresAt", direction: "asc" },
  "current, pending": { current: "1", status: "pending" },
  "current, failed, last page": { current: "1", status: "failed", page: "200" },
  "current, completed": { current: "1", status: "completed" },
  "current, completed, oldest first": { current: "1", status: "completed", direction: "asc", page: "200" },
  "search e-mail rare": { q: "buyer4711." },
  "search e-mail common": { q: "gmail" },
  "search e-mail common, current": { q: "gmail", current: "1" },
  "search e-mail common, current, oldest first": { q: "gmail", current: "1", direction: "asc" },
  "search e-mail common, current, last page": { q: "gmail", current: "1", page: "20" },
  "search tool": { q: "netflix" },
  "search one tool": { q: "canva 21" },
  "search one tool, oldest first": { q: "canva 21", direction: "asc" },
  "search one tool, current": { q: "canva 21", current: "1" },
  "search one tool, current, oldest first": { q: "canva 21", current: "1", direction: "asc" },
  "search two letters": { q: "bu" },
  "search no hit": { q: "nobody@nowhere" },
  "search id": { q: "019a0000" },
  "search payment id, no hit": { q: "pay_none" },
});
reads["purchases: search payment id"] = async (ctx) => {
  requireAdmin(ctx, "reads");
  const [payment] = await ctx.db.select().from(paymentAttempts).limit(1);
  return listPurchases(ctx, { q: payment?.gatewayPaymentId });
};
addLists("coupons", listCoupons, {
  "first page": {},
  "last page": { page: "200", direction: "asc" },
  "by code": { sort: "code", direction: "asc", page: "200" },
  "by expiry": { sort: "expiresAt" },
  "search rare": { q: "4711" },
  "search common": { q: "SAVE" },
  "search tool": { q: "canva" },
  "search two letters": { q: "sa" },
  "search no hit": { q: "nothing" },
});
addLists("tools", listToolsForAdmin, { "first page": {}, search: { q: "canva" } });
addLists("access codes", listAccessCodes, { "first page": {}, search: { q: "server" } });
addLists("credentials", listCredentials, { "first page": {} });
addLists("audit", listAuditEvents, {
  "first page": {},
  "last page": { page: "200" },
  admins: { actor: "admin" },
  "search action": { q: "revealed" },
  "search action of admins": { q: "tool.updated", actor: "admin" },
  "search e-mail": { q: "buyer4711." },
  "search no hit": { q: "nobody@nowhere" },
});
reads.cards = readDashboardStatistics;
reads["cards, not kept"] = (ctx) => {
  forgetFigures(ctx);
  return readDashboardStatistics(ctx);
};
reads["tab counts"] = readTabCounts;
reads.overview = readOverview;
