import { and, asc, eq, gt, inArray, isNotNull, or, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { z } from "zod";
import type { Executor } from "#db/database.ts";
import { authAccounts, sessions, users } from "#db/tables/accounts.ts";
import { stockAlerts, tools } from "#db/tables/catalog.ts";
import { deviceSessions, devices } from "#db/tables/devices.ts";
import { giveawayRounds } from "#db/tables/giveaways.ts";
import { importedDocuments } from "#db/tables/imports.ts";
import { auditEvents, mailMessages } from "#db/tables/operations.ts";
import {
  credits,
  paymentAttempts,
  paymentDisputes,
  paymentOrders,
  payouts,
  refunds,
  unknownPayments,
} from "#db/tables/payments.ts";
import { type Purchase, userPurchases } from "#db/tables/purchases.ts";
import { accessCodeReports, accessCodes } from "#db/tables/vault.ts";
import { inSnapshot } from "#db/transaction.ts";
import { confirmOwner } from "../accounts/change-password.server.ts";
import { addressOf, recordAudit } from "../audit/record-audit.server.ts";
import { requireSignedIn } from "../authorise.ts";
import { readStoreSettings } from "../catalog/store-settings.server.ts";
import type { Context } from "../context.ts";
import { KINDS_WITH_SECRET_LINK } from "../mail/mail-templates.ts";
import { formatPaise } from "../money.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { calledStatus } from "../passes/purchase-states.ts";
import type { Cipher } from "../ports.ts";
import { OF_PERSONS } from "../vault/imported-originals.server.ts";
import { openPayer } from "../vault/seal-payer.ts";

/** The most rows of one query, so that an account with many rows takes no more memory than others. */
const PAGE = 200;

const input = z.object({
  /** The password, if the account has one. */
  password: z.string().max(1000).default(""),
});

interface Person {
  userId: string;
  email: string;
  /** Whether the address is known to be the person's own. */
  isVerified: boolean;
  cipher: Cipher;
}

/** Reads one list of the file: the first rows after an id, in the order of the ids. `after` null: from the beginning. */
type Section = (tx: Executor, person: Person, after: string | null) => Promise<Array<{ id: string }>>;

/**
 * Writes everything that the shop has stored about the signed-in person, as it is at one moment, as one JSON text: without codes,
 * passwords, hashes, tokens, sealed documents and data of others. It needs `confirmOwner`, is possible five times an hour, and
 * is audited.
 *
 * @param write takes the next part of the text. It is awaited; when it throws, the reading ends. It must not wait for the
 *   person's connection, because a transaction is open meanwhile.
 * @throws DomainError unauthenticated, downloads-too-fast, what `confirmOwner` throws
 */
export async function downloadMyData(
  ctx: Context,
  untrusted: z.input<typeof input> | UntrustedInput,
  write: (text: string) => Promise<void>,
): Promise<void> {
  requireSignedIn(ctx, "own-account");
  const { userId, email } = ctx.actor;
  const { password } = parseInput(input, untrusted);
  await confirmOwner(ctx, { password });
  await ctx.ports.rateLimiter.consume("data-download-account", userId);
  const { name: shop } = await readStoreSettings(ctx);
  await recordAudit(ctx, ctx.db, {
    action: "account.data-downloaded",
    subjectType: "user",
    subjectId: userId,
    details: addressOf(ctx),
  });
  await inSnapshot(ctx.db, async (tx) => {
    const about = { shop, origin: ctx.store.origin, madeAt: ctx.clock.now(), notes: NOTES };
    await write(`{\n"about": ${JSON.stringify(about, null, 2)},\n`);
    const profile = await readProfile(tx, userId);
    const person = { userId, email, isVerified: profile?.emailVerified ?? false, cipher: ctx.ports.cipher };
    await write(`"profile": ${JSON.stringify(profile, null, 2)}`);
    for (const [name, section] of Object.entries(SECTIONS)) {
      await write(`,\n"${name}": [`);
      for (let after: string | null = null, isFirst = true; ; ) {
        const rows = await section(tx, person, after);
        if (rows.length > 0)
          await write(
            `${isFirst ? "" : ","}\n${rows.map((row) => JSON.stringify(row, null, 2)).join(",\n")}`,
          );
        isFirst &&= rows.length === 0;
        after = rows.at(-1)?.id ?? null;
        if (rows.length < PAGE || after === null) break;
      }
      await write("]");
    }
    await write("\n}\n");
  });
}

const NOTES = [
  "This file has what the shop has stored about you. Times are in UTC.",
  "Amounts are in paise (100 paise are one rupee) and as text in rupees.",
  "Passwords, access codes and shared sign-ins are not in it. You find the codes and sign-ins of your tools on their pages.",
];

/** The condition of the next page of rows. @param id the column of the id, by which the rows are ordered */
const pageOf = (id: PgColumn, after: string | null, ...where: Array<SQL | undefined>) =>
  and(...where, after === null ? undefined : gt(id, after));

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

const money = (paise: number) => ({ paise, rupees: formatPaise(paise) });

async function readProfile(tx: Executor, userId: string) {
  const [profile] = await tx
    .select({
      id: users.id,
      email: users.email,
      emailVerified: users.emailVerified,
      name: users.name,
      photoUrl: users.image,
      language: users.language,
      wantsReminders: users.wantsReminders,
      role: users.role,
      createdWith: users.provider,
      createdAt: users.createdAt,
      lastSignInAt: users.lastLogin,
    })
    .from(users)
    .where(eq(users.id, userId));
  return profile ?? null;
}

const SECTIONS: Readonly<Record<string, Section>> = {
  signInMethods: async (tx, { userId }, after) => {
    const rows = await tx
      .select({
        id: authAccounts.id,
        provider: authAccounts.providerId,
        issuer: authAccounts.issuer,
        accountAtProvider: authAccounts.accountId,
        createdAt: authAccounts.createdAt,
      })
      .from(authAccounts)
      .where(pageOf(authAccounts.id, after, eq(authAccounts.userId, userId)))
      .orderBy(asc(authAccounts.id))
      .limit(PAGE);
    return rows.map(({ provider, ...row }) => ({
      ...row,
      method: provider === "credential" ? "password" : provider,
    }));
  },
  browsers: (tx, { userId }, after) =>
    tx
      .select({
        id: sessions.id,
        userAgent: sessions.userAgent,
        ipAddress: sessions.ipAddress,
        signedInAt: sessions.createdAt,
        lastSeenAt: sessions.updatedAt,
        expiresAt: sessions.expiresAt,
      })
      .from(sessions)
      .where(pageOf(sessions.id, after, eq(sessions.userId, userId)))
      .orderBy(asc(sessions.id))
      .limit(PAGE),
  purchases: selectPurchases,
  giveawaysWon: (tx, { userId }, after) =>
    tx
      .select({
        id: giveawayRounds.id,
        claimedAt: giveawayRounds.claimedAt,
        tool: tools.name,
        validityDays: giveawayRounds.validityDays,
        purchaseId: giveawayRounds.purchaseId,
      })
      .from(giveawayRounds)
      .innerJoin(tools, eq(tools.id, giveawayRounds.toolId))
      .where(pageOf(giveawayRounds.id, after, eq(giveawayRounds.winnerUserId, userId)))
      .orderBy(asc(giveawayRounds.id))
      .limit(PAGE),
  devices: selectDevices,
  /** Which of the codes for one buyer each a pass has taken, and when; not the codes. */
  accessCodesTaken: (tx, { userId }, after) =>
    tx
      .select({
        id: accessCodes.id,
        server: accessCodes.serverName,
        purchaseId: accessCodes.passId,
        takenAt: accessCodes.takenAt,
      })
      .from(accessCodes)
      .innerJoin(userPurchases, eq(userPurchases.id, accessCodes.passId))
      .where(pageOf(accessCodes.id, after, eq(userPurchases.userId, userId)))
      .orderBy(asc(accessCodes.id))
      .limit(PAGE),
  accessCodeReports: (tx, { userId }, after) =>
    tx
      .select({
        id: accessCodeReports.id,
        tool: tools.name,
        server: accessCodes.serverName,
        reportedAt: accessCodeReports.createdAt,
      })
      .from(accessCodeReports)
      .innerJoin(accessCodes, eq(accessCodes.id, accessCodeReports.accessCodeId))
      .innerJoin(tools, eq(tools.id, accessCodes.toolId))
      .where(pageOf(accessCodeReports.id, after, eq(accessCodeReports.userId, userId)))
      .orderBy(asc(accessCodeReports.id))
      .limit(PAGE),
  /** The tools out of stock that the person wants to hear of. */
  stockAlerts: (tx, { userId }, after) =>
    tx
      .select({ id: stockAlerts.id, tool: tools.name, askedAt: stockAlerts.createdAt })
      .from(stockAlerts)
      .innerJoin(tools, eq(tools.id, stockAlerts.toolId))
      .where(pageOf(stockAlerts.id, after, eq(stockAlerts.userId, userId)))
      .orderBy(asc(stockAlerts.id))
      .limit(PAGE),
  emails: async (tx, { email }, after) => {
    const rows = await tx
      .select({
        id: mailMessages.id,
        recipient: mailMessages.recipient,
        kind: mailMessages.kind,
        subject: mailMessages.subject,
        state: mailMessages.status,
        queuedAt: mailMessages.createdAt,
        sentAt: mailMessages.sentAt,
        text: mailMessages.text,
      })
      .from(mailMessages)
      .where(pageOf(mailMessages.id, after, eq(mailMessages.recipient, email)))
      .orderBy(asc(mailMessages.id))
      .limit(PAGE);
    // A link that gives access to the account does not belong in a file.
    return rows.map((row) => ({
      ...row,
      text: row.text === "" || KINDS_WITH_SECRET_LINK.has(row.kind) ? null : row.text,
    }));
  },
  activity: async (tx, { userId }, after) => {
    const { id, actorId, actorKind, action, details, createdAt, subjectType, subjectId } = auditEvents;
    const rows = await tx
      .select({ id, actorId, actorKind, action, details, at: createdAt })
      .from(auditEvents)
      .where(pageOf(id, after, or(eq(actorId, userId), and(eq(subjectType, "user"), eq(subjectId, userId)))))
      .orderBy(asc(id))
      .limit(PAGE);
    return rows.map(({ actorId, actorKind, details, ...event }) => {
      const isOwn =
        actorId === userId || event.action === "account.signed-in" || event.action === "account.signed-up";
      return {
        ...event,
        by: isOwn ? "you" : actorKind === "visitor" ? "somebody who was not signed in" : "the shop",
        // The address of somebody else who tried to sign in is not the person's own.
        ipAddress: isOwn ? textOf(details.ipAddress) : null,
        deviceName: event.action.startsWith("device.") ? textOf(details.name) : null,
      };
    });
  },
  /**
   * Unknown payments: those that were missing from the backup from which the shop was restored. Anybody can sign up with the
   * address of a payer whose account is missing too, so only a verified address finds them.
   */
  paymentsFoundAfterRestore: async (tx, { userId, email, isVerified, cipher }, after) => {
    const { id, amountPaise, refundedPaise, paidAt, method, state, phone, payerSealed } = unknownPayments;
    const isOwn = or(
      eq(unknownPayments.buyerId, userId),
      isVerified ? eq(sql`lower(${unknownPayments.email})`, email) : undefined,
    );
    const rows = await tx
      .select({
        id,
        amountPaise,
        refundedPaise,
        paidAt,
        method,
        state,
        phone,
        email: unknownPayments.email,
        payerSealed,
      })
      .from(unknownPayments)
      .where(pageOf(id, after, isOwn))
      .orderBy(asc(id))
      .limit(PAGE);
    return rows.map(({ amountPaise, refundedPaise, payerSealed: sealed, ...row }) => ({
      ...row,
      amount: money(amountPaise),
      refunded: money(refundedPaise),
      payer: sealed && openPayer(cipher, "unknown_payments", row.id, sealed),
    }));
  },
  /** The documents of an old shop that were imported, except sealed ones. */
  documentsOfTheOldShop: (tx, { userId }, after) => {
    const { id, collection, documentId, document, becameId, createdAt } = importedDocuments;
    const purchases = tx
      .select({ id: userPurchases.id })
      .from(userPurchases)
      .where(eq(userPurchases.userId, userId));
    const isOwn = or(eq(becameId, userId), inArray(becameId, purchases));
    return tx
      .select({ id, collection, documentId, importedAt: createdAt, document })
      .from(importedDocuments)
      .where(pageOf(id, after, isOwn, inArray(collection, OF_PERSONS), isNotNull(document)))
      .orderBy(asc(id))
      .limit(PAGE);
  },
};

const textOf = (value: unknown) => (typeof value === "string" ? value : null);

async function selectPurchases(tx: Executor, { userId, cipher }: Person, after: string | null) {
  const purchases = await tx
    .select()
    .from(userPurchases)
    .where(pageOf(userPurchases.id, after, eq(userPurchases.userId, userId)))
    .orderBy(asc(userPurchases.id))
    .limit(PAGE);
  const payments = await tx
    .select({
      purchaseId: paymentOrders.purchaseId,
      id: paymentAttempts.id,
      gateway: paymentOrders.gateway,
      gatewayOrderId: paymentOrders.gatewayOrderId,
      gatewayPaymentId: paymentAttempts.gatewayPaymentId,
      state: paymentAttempts.status,
      method: paymentAttempts.method,
      amountPaise: paymentAttempts.amountPaise,
      buyerFeePaise: paymentAttempts.buyerFeePaise,
      refundedAtGatewayPaise: paymentAttempts.refundedPaise,
      payerSealed: paymentAttempts.payerSealed,
      declinedBecause: paymentAttempts.errorDescription,
      capturedAt: paymentAttempts.capturedAt,
      createdAt: paymentAttempts.createdAt,
      // What the shop has recorded about a payment without a gateway.
      reference: credits.reference,
      payerName: credits.payerName,
    })
    .from(paymentAttempts)
    .innerJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
    .leftJoin(credits, eq(credits.attemptId, paymentAttempts.id))
    .where(inArray(paymentOrders.purchaseId, idsOf(purchases)))
    .orderBy(asc(paymentAttempts.id));
  const ofPayments = await tx
    .select({
      attemptId: refunds.attemptId,
      amountPaise: refunds.amountPaise,
      reason: refunds.reason,
      state: refunds.status,
      gatewayRefundId: refunds.gatewayRefundId,
      requestedAt: refunds.createdAt,
      changedAt: refunds.updatedAt,
      // How the shop itself has given the money back.
      givenBackBy: payouts.way,
      reference: payouts.reference,
    })
    .from(refunds)
    .leftJoin(payouts, eq(payouts.refundId, refunds.id))
    .where(inArray(refunds.attemptId, idsOf(payments)))
    .orderBy(asc(refunds.id));
  const gatewayPaymentIds = payments.map(({ gatewayPaymentId }) => gatewayPaymentId);
  const disputes = await tx
    .select({
      gatewayPaymentId: paymentDisputes.gatewayPaymentId,
      gatewayDisputeId: paymentDisputes.gatewayDisputeId,
      amountPaise: paymentDisputes.amountPaise,
      phase: paymentDisputes.phase,
      state: paymentDisputes.status,
      reasonCode: paymentDisputes.reasonCode,
      reason: paymentDisputes.reason,
      openedAt: paymentDisputes.openedAt,
      changedAt: paymentDisputes.updatedAt,
    })
    .from(paymentDisputes)
    .where(inArray(paymentDisputes.gatewayPaymentId, gatewayPaymentIds))
    .orderBy(asc(paymentDisputes.id));
  const disputesOf = Map.groupBy(disputes, ({ gatewayPaymentId }) => gatewayPaymentId);
  const refundsOf = Map.groupBy(ofPayments, ({ attemptId }) => attemptId);
  const paymentsOf = Map.groupBy(payments, ({ purchaseId }) => purchaseId);
  return purchases.map((purchase) => ({
    ...describePurchase(purchase),
    payments: (paymentsOf.get(purchase.id) ?? []).map(
      ({
        id,
        purchaseId: _,
        amountPaise,
        buyerFeePaise,
        refundedAtGatewayPaise,
        payerSealed,
        ...payment
      }) => ({
        ...payment,
        payer: payerSealed && openPayer(cipher, "payment_attempts", id, payerSealed),
        amount: money(amountPaise),
        feeInAmount: money(buyerFeePaise),
        refundedAtGateway: money(refundedAtGatewayPaise),
        refunds: (refundsOf.get(id) ?? []).map(
          ({ attemptId: _attempt, amountPaise: refunded, ...refund }) => ({
            ...refund,
            amount: money(refunded),
          }),
        ),
        disputes: (disputesOf.get(payment.gatewayPaymentId) ?? []).map(
          ({ gatewayPaymentId: _payment, amountPaise: disputed, ...dispute }) => ({
            ...dispute,
            amount: money(disputed),
          }),
        ),
      }),
    ),
  }));
}

function describePurchase(purchase: Purchase) {
  return {
    id: purchase.id,
    orderNumber: purchase.orderNumber,
    tool: purchase.toolName,
    option: purchase.optionLabel,
    validityDays: purchase.validityDays,
    email: purchase.userEmail,
    source: purchase.source,
    cameFrom: purchase.cameFrom,
    isRenewal: purchase.isRenewal,
    status: calledStatus(purchase),
    listPrice: money(purchase.listPricePaise),
    coupon: purchase.couponCode,
    discount: money(purchase.discountPaise),
    amount: money(purchase.amountPaise),
    currency: purchase.currency,
    isTestPurchase: purchase.testMode,
    orderedAt: purchase.createdAt,
    capturedAt: purchase.capturedAt,
    pass:
      purchase.startsAt === null
        ? null
        : {
            startsAt: purchase.startsAt,
            expiresAt: purchase.expiresAt,
            endedAt: purchase.endedAt,
            endedBecause: purchase.endedReason,
          },
    notPaidBecause: purchase.failedReason,
    message: purchase.errorMessage,
    notes: purchase.notes,
    network: purchase.holdNetwork,
  };
}

async function selectDevices(tx: Executor, { userId }: Person, after: string | null) {
  const rows = await tx
    .select({
      id: devices.id,
      installationId: devices.installationId,
      name: devices.name,
      extensionVersion: devices.extensionVersion,
      connectedAt: devices.createdAt,
      lastSeenAt: devices.lastSeenAt,
      releasedAt: devices.releasedAt,
      releasedBy: devices.releasedBy,
    })
    .from(devices)
    .where(pageOf(devices.id, after, eq(devices.userId, userId)))
    .orderBy(asc(devices.id))
    .limit(PAGE);
  const redeemed = await tx
    .select({
      deviceId: deviceSessions.deviceId,
      tool: tools.name,
      server: deviceSessions.serverId,
      redeemedAt: deviceSessions.redeemedAt,
    })
    .from(deviceSessions)
    .innerJoin(tools, eq(tools.id, deviceSessions.toolId))
    .where(inArray(deviceSessions.deviceId, idsOf(rows)))
    .orderBy(asc(deviceSessions.id));
  const redeemedOn = Map.groupBy(redeemed, ({ deviceId }) => deviceId);
  return rows.map((row) => ({
    ...row,
    redeemed: (redeemedOn.get(row.id) ?? []).map(({ deviceId: _, ...one }) => one),
  }));
}
