import { eq } from "drizzle-orm";
import { mailMessages } from "#db/tables/operations.ts";
import { findServersWithoutCode } from "../access-codes/find-server-codes.server.ts";
import { requireAdmin } from "../authorise.ts";
import { DEFAULT_STORE_NAME, readStorePages, readStoreSettings } from "../catalog/store-settings.server.ts";
import type { Context } from "../context.ts";
import { CONFIRMATIONS, type Confirmation } from "./confirm-setup.server.ts";
import { type ChecklistItem, findOpenItems, paymentModeOf } from "./go-live-checklist.ts";
import {
  hasActiveAccessCode,
  hasGivenPassword,
  hasTool,
  selectLastTestMail,
  selectSettingKeys,
} from "./queries.server.ts";

const KEYS = Object.values(CONFIRMATIONS).map(({ key }) => key);

/**
 * What is left to do before the shop sells to real buyers, the most urgent first. Empty once all is done. The password and
 * the test mail are those of the admin who asks.
 *
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function readGoLiveChecklist(ctx: Context): Promise<ChecklistItem[]> {
  const { userId, email } = requireAdmin(ctx, "reads");
  const hasMailServer = ctx.ports.mailTransport !== null;
  const [settings, texts, keys, mailsWaiting, lastTestMail, isGiven, hasTools, hasCodes, withoutCode] =
    await Promise.all([
      readStoreSettings(ctx),
      readStorePages(ctx),
      selectSettingKeys(ctx.db, KEYS),
      hasMailServer ? null : ctx.db.$count(mailMessages, eq(mailMessages.status, "queued")),
      hasMailServer ? selectLastTestMail(ctx.db, email) : null,
      hasGivenPassword(ctx.db, userId),
      hasTool(ctx.db),
      hasActiveAccessCode(ctx.db),
      findServersWithoutCode(ctx.db),
    ]);
  const isConfirmed = (confirmation: Confirmation) => keys.has(CONFIRMATIONS[confirmation].key);
  return findOpenItems({
    paymentMode: paymentModeOf(ctx.ports.gateway),
    hasTools,
    needsAccessCodes: !hasCodes && (!hasTools || withoutCode.length > 0),
    settings,
    hasDefaultName: settings.name === DEFAULT_STORE_NAME,
    texts,
    hasOwnPassword: !isGiven,
    variables: ctx.store,
    mailsWaiting,
    lastTestMail,
    confirmed: {
      resale: isConfirmed("resale"),
      backup: isConfirmed("backup"),
      claims: isConfirmed("claims"),
      name: isConfirmed("name"),
      texts: isConfirmed("texts"),
      "test-mail": isConfirmed("test-mail"),
    },
  });
}
