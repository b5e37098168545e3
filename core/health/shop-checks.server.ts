import { and, desc, eq, gte, inArray, isNotNull, isNull, lte, max, min, sql } from "drizzle-orm";
import type { Executor } from "#db/database.ts";
import { toolPageGrants, tools } from "#db/tables/catalog.ts";
import { jobRuns, mailMessages, settings } from "#db/tables/operations.ts";
import { paymentAttempts, paymentDisputes, paymentOrders, webhookEvents } from "#db/tables/payments.ts";
import { selectBackups, timesOf } from "../backups/backups.server.ts";
import { isUnconfirmedRestore } from "../backups/restored-shop.server.ts";
import { isBackupOverdue } from "../backups/rules.ts";
import type { GatewayName } from "../payments/payment-gateway.ts";
import { selectDisputesRead } from "../payments/read-disputes.server.ts";
import { CONFIRMATIONS } from "../reports/go-live-checklist.ts";
import { countUnfinishedRefunds } from "../reports/read-payment-notices.server.ts";
import { DAY } from "../time.ts";
import { type HealthCheck, skipped } from "./health-check.ts";
import { judgeBackup, judgeDisputes, judgeJobs, judgeNames, judgeRefunds, judgeWebhook } from "./rules.ts";

/** What the checks of the shop's own work need. A command has all of it too, although it has no adapters. */
export interface CheckedShop {
  db: Executor;
  now: () => Date;
  timeZone: string;
  /** The name of the gateway; null: payments are not set up. */
  gateway: GatewayName | null;
  /** Whether purchases in test mode count. */
  includesTestMode: boolean;
  hasWebhookSecret: boolean;
  /** Where the gateway sends webhooks to. */
  webhookAddress: string;
  sendsMail: boolean;
  makesBackups: boolean;
  /** Whether the shop runs on this machine. */
  isShopHere: () => boolean;
  /** Whether a file that a backup was written to is missing; false where it may be on another machine. */
  isGone: (path: string) => boolean;
}

/** The checks of the work that the shop does by itself. */
export function shopChecks(shop: CheckedShop): HealthCheck[] {
  const { db, now } = shop;
  return [
    {
      id: "webhook",
      needs: ["schema"],
      run: async () => {
        if (shop.gateway === null) return skipped("Payments are not set up.");
        const [lastHeardAt, lastPaymentAt] = await Promise.all([
          selectLastWebhook(db, shop.gateway),
          selectLastPayment(db, shop.gateway),
        ]);
        const facts = { hasSecret: shop.hasWebhookSecret, address: shop.webhookAddress };
        return judgeWebhook({ ...facts, lastHeardAt, lastPaymentAt }, now(), shop.timeZone);
      },
    },
    {
      id: "jobs",
      needs: ["schema"],
      // Whether the shop runs here.
      after: ["port"],
      run: async () => {
        const [due, oldestEventAt, oldestMailAt, isHeldBack] = await Promise.all([
          db.select({ name: jobRuns.name, at: jobRuns.nextRunAt }).from(jobRuns).limit(100),
          selectOldestEvent(db, shop.gateway),
          shop.sendsMail ? selectOldestDueMail(db) : null,
          isUnconfirmedRestore(db),
        ]);
        // A shop that is not confirmed sends no mail.
        const facts = { due, oldestEventAt, oldestMailAt: isHeldBack ? null : oldestMailAt };
        return (
          judgeJobs({ ...facts, isShopHere: shop.isShopHere() }, now()) ??
          skipped("The shop is not running, so no job is.")
        );
      },
    },
    {
      id: "refunds",
      needs: ["schema"],
      run: async () => {
        const [counts, isHeldBack] = await Promise.all([
          countUnfinishedRefunds(db, shop.includesTestMode, now()),
          isUnconfirmedRestore(db),
        ]);
        return judgeRefunds({ ...counts, isHeldBack });
      },
    },
    {
      id: "disputes",
      needs: ["schema"],
      run: async () => {
        const { gateway } = shop;
        if (gateway === null) return skipped("Payments are not set up.");
        const [known, heard, last] = await Promise.all([
          // Older webhooks are purged.
          db.$count(
            paymentDisputes,
            and(
              eq(paymentDisputes.gateway, gateway),
              gte(paymentDisputes.createdAt, new Date(now().getTime() - 60 * DAY)),
            ),
          ),
          db.$count(
            webhookEvents,
            and(eq(webhookEvents.gateway, gateway), sql`gateway_dispute_id is not null`),
          ),
          selectDisputesRead(db),
        ]);
        return judgeDisputes({ known, heard, problem: last?.problem ?? null });
      },
    },
    { id: "names", needs: ["schema"], run: async () => judgeNames(await selectNames(db)) },
    { id: "backup", needs: ["schema"], run: () => checkBackup(shop) },
  ];
}

/** The names that have to differ, for `judgeNames`. */
async function selectNames(db: Executor): Promise<[of: string, names: string[]][]> {
  const [listed, grants] = await Promise.all([
    db.select({ name: tools.name, servers: tools.servers }).from(tools).where(isNull(tools.deletedAt)),
    db
      .select({ page: toolPageGrants.page, name: sql<string>`${toolPageGrants.toolName}` })
      .from(toolPageGrants)
      .where(isNotNull(toolPageGrants.toolName)),
  ]);
  const pages = Map.groupBy(grants, ({ page }) => page);
  return [
    ["tools", listed.map(({ name }) => name)],
    ...listed.map(({ name, servers }): [string, string[]] => [
      `servers of ${name}`,
      servers.map((server) => server.name),
    ]),
    ...[...pages].map(([page, rows]): [string, string[]] => [
      `purchases that open the page “${page}”`,
      rows.map(({ name }) => name),
    ]),
  ];
}

async function checkBackup({ db, now, makesBackups, isGone }: CheckedShop) {
  const [found, confirmed] = await Promise.all([
    selectBackups(db),
    db.$count(settings, eq(settings.key, CONFIRMATIONS.backup.key)),
  ]);
  const { verified = null, failure = null, copy = null } = found?.stored ?? {};
  const isNewer = failure !== null && (verified === null || failure.at >= verified.at);
  return judgeBackup(
    {
      isNightly: makesBackups,
      isElsewhere: confirmed > 0,
      isOverdue: makesBackups && found !== null && isBackupOverdue(timesOf(found.stored), now()),
      verified: verified && { at: new Date(verified.at), path: verified.path, isGone: isGone(verified.path) },
      failure: isNewer ? failure.message : null,
      copyFailure: copy?.kind === "failed" ? copy.message : null,
    },
    now(),
  );
}

/** The number of newest rows that are searched, because a shop that has changed its gateway has rows of the former gateway too. */
const ROWS_READ = 500;

/** When the last webhook arrived. Ids are in the order of time, so the primary key finds the newest rows. */
async function selectLastWebhook(db: Executor, gateway: string): Promise<Date | null> {
  const latest = db
    .select({ at: webhookEvents.createdAt, gateway: webhookEvents.gateway })
    .from(webhookEvents)
    .orderBy(desc(webhookEvents.id))
    .limit(ROWS_READ)
    .as("latest");
  const [last] = await db
    .select({ at: max(latest.at) })
    .from(latest)
    .where(eq(latest.gateway, gateway));
  return last?.at ?? null;
}

/** When the shop first heard of the last captured payment. */
async function selectLastPayment(db: Executor, gateway: string): Promise<Date | null> {
  const { createdAt, status, orderId, id } = paymentAttempts;
  const latest = db
    .select({ at: createdAt, status, orderId })
    .from(paymentAttempts)
    .orderBy(desc(id))
    .limit(ROWS_READ)
    .as("latest");
  const [last] = await db
    .select({ at: max(latest.at) })
    .from(latest)
    .innerJoin(paymentOrders, eq(paymentOrders.id, latest.orderId))
    .where(and(eq(latest.status, "captured"), eq(paymentOrders.gateway, gateway)));
  return last?.at ?? null;
}

/** When the oldest event that is not processed arrived; null: there is none. */
async function selectOldestEvent(db: Executor, gateway: string | null): Promise<Date | null> {
  if (gateway === null) return null;
  const [oldest] = await db
    .select({ at: min(webhookEvents.createdAt) })
    .from(webhookEvents)
    .where(and(isNull(webhookEvents.processedAt), eq(webhookEvents.gateway, gateway)));
  return oldest?.at ?? null;
}

/** When the oldest due mail became due; null: there is none. A mail that was refused for now is due later. */
async function selectOldestDueMail(db: Executor): Promise<Date | null> {
  const [oldest] = await db
    .select({ at: min(mailMessages.nextTryAt) })
    .from(mailMessages)
    .where(and(inArray(mailMessages.status, ["queued"]), lte(mailMessages.nextTryAt, sql`now()`)));
  return oldest?.at ?? null;
}
