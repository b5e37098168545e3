import { eq } from "drizzle-orm";
import { mailMessages } from "#db/tables/operations.ts";
import { findServersWithoutCode } from "../access-codes/find-servers-without-code.server.ts";
import { requireAdmin } from "../authorise.ts";
import { readStoreSettings } from "../catalog/store-settings.server.ts";
import type { Context } from "../context.ts";
import { CONFIRMATIONS } from "./confirm-setup.server.ts";
import { type ChecklistItem, findOpenItems, paymentModeOf } from "./go-live-checklist.ts";
import { hasActiveAccessCode, hasTool, selectSettingKeys } from "./queries.server.ts";

/**
 * What is left to do before the shop sells to real buyers, the most urgent first. Empty once all is done.
 *
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function readGoLiveChecklist(ctx: Context): Promise<ChecklistItem[]> {
  requireAdmin(ctx);
  const { resale, backup, claims } = CONFIRMATIONS;
  const [settings, confirmed, mailsWaiting, hasTools, hasCodes, serversWithoutCode] = await Promise.all([
    readStoreSettings(ctx),
    selectSettingKeys(ctx.db, [resale.key, backup.key, claims.key]),
    ctx.ports.mailTransport === null ? ctx.db.$count(mailMessages, eq(mailMessages.status, "queued")) : null,
    hasTool(ctx.db),
    hasActiveAccessCode(ctx.db),
    findServersWithoutCode(ctx.db),
  ]);
  return findOpenItems({
    paymentMode: paymentModeOf(ctx.ports.gateway),
    hasTools,
    needsAccessCodes: !hasCodes && (!hasTools || serversWithoutCode.length > 0),
    settings,
    variables: ctx.store,
    mailsWaiting,
    confirmed: {
      resale: confirmed.has(resale.key),
      backup: confirmed.has(backup.key),
      claims: confirmed.has(claims.key),
    },
  });
}
