import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { Executor } from "#db/database.ts";
import { couponCodes, tools } from "#db/tables/catalog.ts";
import { auditEvents } from "#db/tables/operations.ts";
import { paymentAttempts, paymentOrders, refunds, webhookEvents } from "#db/tables/payments.ts";
import { couponRedemptions, userPurchases } from "#db/tables/purchases.ts";
import { requireSystem } from "../authorise.ts";
import { saveSetting, selectSetting } from "../catalog/store-settings.server.ts";
import type { Context } from "../context.ts";
import { isHeldByDispute } from "../paid.server.ts";
import { acceptsTestPasses } from "../pass-validity.server.ts";
import { IS_PAYOUT } from "../payments/credits.server.ts";
import { IS_LOST_IN_FULL } from "../payments/disputes.server.ts";
import { MINIMUM_REFUND_PAISE } from "../payments/payment-gateway.ts";
import { DAY, MINUTE } from "../time.ts";
import {
  DISCREPANCY_MESSAGES,
  type Discrepancy,
  discrepancySchema,
  isPaymentDiscrepancy,
  LEDGER_AUDIT_KEY,
  type LedgerAudit,
  ledgerAuditSchema,
} from "./discrepancies.ts";

const MAX_SETTLE_MS = 5 * MINUTE;
const MAX_REFUND_MS = DAY;
const PAYMENT_IDS_KEPT = 10;

/** The maximum number of discrepancies of a kind that are listed; all are counted. */
const LISTED = 50;

/**
 * Finds discrepancies: captured payments that are not exactly one pass, refund, audited cancellation or lost dispute after 5
 * minutes, refunds that failed or take more than 24 hours, wrong counters of stock and coupons. It corrects nothing. Every run
 * logs each discrepancy as an error and saves their counts for the metrics and the admin's page.
 *
 * @throws DomainError forbidden
 */
export async function auditLedger(ctx: Context): Promise<LedgerAudit> {
  requireSystem(ctx);
  const now = ctx.clock.now();
  const discrepancies = await selectDiscrepancies(ctx.db, {
    capturedBefore: new Date(now.getTime() - MAX_SETTLE_MS),
    refundDueBefore: new Date(now.getTime() - MAX_REFUND_MS),
    includeTestMode: acceptsTestPasses(ctx),
  });
  const audit: LedgerAudit = { at: now.toISOString(), counts: {}, paymentIds: [] };
  for (const { kind, total, facts } of discrepancies) {
    ctx.log.error({ discrepancy: kind, total, ...facts }, DISCREPANCY_MESSAGES[kind]);
    audit.counts[kind] = total;
    const { paymentId } = facts;
    if (
      isPaymentDiscrepancy(kind) &&
      typeof paymentId === "string" &&
      audit.paymentIds.length < PAYMENT_IDS_KEPT
    ) {
      audit.paymentIds.push(paymentId);
    }
  }
  await saveSetting(ctx.db, LEDGER_AUDIT_KEY, audit);
  return audit;
}

interface AuditLimits {
  /** Payments captured later than this may still be settled. */
  capturedBefore: Date;
  /** Refunds requested before this should be finished. */
  refundDueBefore: Date;
  includeTestMode: boolean;
}

/** All discrepancies of one snapshot; the first rows of each kind. */
async function selectDiscrepancies(executor: Executor, limits: AuditLimits): Promise<Discrepancy[]> {
  const { rows } = await executor.execute(sql`
    select kind, facts, total from (
      select kind, facts, count(*) over (partition by kind) as total,
        row_number() over (partition by kind order by facts) as position_in_kind
      from (${paymentDiscrepancies(limits)} union all ${webhookDiscrepancies(limits)}
        union all ${refundDiscrepancies(limits)} union all ${counterDiscrepancies}) discrepancies
    ) numbered where position_in_kind <= ${LISTED} order by kind, position_in_kind`);
  return z.array(discrepancySchema).parse(rows);
}

/** Orders in test mode can no longer be settled or refunded once the shop takes real money, and no money is lost. */
export const isInMode = (includeTestMode: boolean): SQL =>
  sql`(not ${paymentOrders.testMode} or ${includeTestMode})`;

/** A pass that its payment paid for. It may have expired, and its row may have been deleted by an admin. */
const isPass = sql`${userPurchases.status} in ('completed', 'active')
  and coalesce(${userPurchases.endedReason}, '') not in ('refunded', 'cancelled', 'charged-back')`;

const isAudited = sql`exists (
  select from ${auditEvents} where ${auditEvents.subjectType} = 'purchase'
    and ${auditEvents.subjectId} = ${paymentOrders.purchaseId}::text and ${auditEvents.action} = 'purchase.cancelled')`;

/** A payment that was not refunded has no refund, is not lost, and is the only such payment of its order. */
const notRefundedDiscrepancy = sql`case
  when ${IS_LOST_IN_FULL} then 'chargeback-wrong'
  when refunded.refunds > 0 then 'refund-beside-pass'
  when ${paymentAttempts.orderId} in (select order_id from kept_twice) then 'order-kept-twice' end`;

/** The owner's partial refunds left a rest that is too small to refund. */
const restTooSmall = sql`(refunded.paise = ${paymentAttempts.refundedPaise}
  and ${paymentAttempts.amountPaise} - refunded.paise < ${MINIMUM_REFUND_PAISE})`;

/** Less than the payment, when a part of it was lost in a dispute. */
const isFullRefund = sql`refunded.paise between ${paymentAttempts.amountPaise} - ${paymentAttempts.lostPaise} and ${paymentAttempts.amountPaise}`;

/** The pass has not ended, and no other payment of its order pays for it. */
const isPassWithoutPayment = sql`coalesce(${isPass} and ${userPurchases.endedAt} is null
  and not exists (select from ${paymentAttempts} other where other.order_id = ${paymentAttempts.orderId} and other.outcome = 'pass'), false)`;

const paymentDiscrepancies = ({ capturedBefore, includeTestMode }: AuditLimits) => sql`
  with refunded as (
    select ${refunds.attemptId} as attempt_id, count(*) as refunds, sum(${refunds.amountPaise}) as paise
    from ${refunds} where ${refunds.status} <> 'charged-back' group by ${refunds.attemptId}
  ), kept_twice as (
    select ${paymentAttempts.orderId} as order_id from ${paymentAttempts}
    where ${paymentAttempts.outcome} in ('pass', 'cancellation')
    group by ${paymentAttempts.orderId} having count(*) > 1
  ), checked as (
    select ${paymentAttempts.gatewayPaymentId} as payment_id, ${paymentAttempts.orderId} as order_id,
      ${paymentOrders.purchaseId} as purchase_id, ${paymentAttempts.amountPaise} as amount_paise,
      case ${paymentAttempts.outcome}
        when 'refund' then
          case when refunded.refunds = 1 and (${isFullRefund} or ${restTooSmall}) then null else 'refund-missing' end
        when 'pass' then
          case when ${isPass} then ${notRefundedDiscrepancy} else 'pass-missing' end
        when 'cancellation' then
          case when ${isAudited} then ${notRefundedDiscrepancy} else 'cancellation-unaudited' end
        when 'chargeback' then
          case when ${IS_LOST_IN_FULL} and refunded.refunds is null and not ${isPassWithoutPayment} then null else 'chargeback-wrong' end
        else 'no-outcome'
      end as kind
    from ${paymentAttempts}
    join ${paymentOrders} on ${paymentOrders.id} = ${paymentAttempts.orderId}
    left join ${userPurchases} on ${userPurchases.id} = ${paymentOrders.purchaseId}
    left join refunded on refunded.attempt_id = ${paymentAttempts.id}
    where ${paymentAttempts.status} = 'captured'
      and coalesce(${paymentAttempts.capturedAt}, ${paymentAttempts.createdAt}) <= ${capturedBefore}
      and ${isInMode(includeTestMode)}
  )
  select kind, jsonb_build_object('paymentId', payment_id, 'orderId', order_id, 'purchaseId', purchase_id,
    'amountPaise', amount_paise) as facts
  from checked where kind is not null`;

/** A signed webhook event reports a captured payment of one of our orders, and the payment has no outcome. */
const webhookDiscrepancies = ({ capturedBefore, includeTestMode }: AuditLimits) => sql`
  select 'reported-not-settled', jsonb_build_object('paymentId', ${webhookEvents.gatewayPaymentId},
    'orderId', ${paymentOrders.id}, 'purchaseId', ${paymentOrders.purchaseId}, 'amountPaise', ${paymentOrders.amountPaise})
  from ${webhookEvents}
  join ${paymentOrders} on ${paymentOrders.gatewayOrderId} = ${webhookEvents.gatewayOrderId}
    and ${paymentOrders.gateway} = ${webhookEvents.gateway}
  left join ${paymentAttempts} on ${paymentAttempts.gatewayPaymentId} = ${webhookEvents.gatewayPaymentId}
  where ${webhookEvents.type} = 'payment.captured' and ${webhookEvents.createdAt} <= ${capturedBefore}
    and ${webhookEvents.gatewayPaymentId} is not null and ${paymentAttempts.outcome} is null
    and ${isInMode(includeTestMode)}`;

const refundDiscrepancies = ({ refundDueBefore, includeTestMode }: AuditLimits) => sql`
  select case when ${refunds.status} = 'failed' then 'refund-failed' else 'refund-overdue' end,
    jsonb_build_object('refundId', ${refunds.id}, 'paymentId', ${paymentAttempts.gatewayPaymentId},
      'purchaseId', ${paymentOrders.purchaseId}, 'amountPaise', ${refunds.amountPaise})
  from ${refunds}
  join ${paymentAttempts} on ${paymentAttempts.id} = ${refunds.attemptId}
  join ${paymentOrders} on ${paymentOrders.id} = ${paymentAttempts.orderId}
  where (${refunds.status} = 'failed'
      or (${refunds.status} in ('requested', 'processing') and ${refunds.createdAt} <= ${refundDueBefore}
        and not ${IS_PAYOUT} and not ${isHeldByDispute(paymentAttempts.gatewayPaymentId)}))
    and ${isInMode(includeTestMode)}`;

const counterDiscrepancies = sql`
  select 'stock-below-zero', jsonb_build_object('toolId', ${tools.id}, 'stock', ${tools.availableStock})
  from ${tools} where ${tools.availableStock} < 0
  union all
  select 'coupon-miscounted', jsonb_build_object('couponId', ${couponCodes.id}, 'counted', ${couponCodes.usesTaken},
    'uses', coalesce(redeemed.uses, 0) + ${couponCodes.importedUses})
  from ${couponCodes}
  left join (
    select ${couponRedemptions.couponId} as coupon_id, count(*) as uses
    from ${couponRedemptions} where ${couponRedemptions.state} in ('held', 'used') group by ${couponRedemptions.couponId}
  ) redeemed on redeemed.coupon_id = ${couponCodes.id}
  where ${couponCodes.usesTaken} <> coalesce(redeemed.uses, 0) + ${couponCodes.importedUses}`;

/** The result of the last ledger audit; null before the first one. */
export async function selectLedgerAudit(executor: Executor): Promise<LedgerAudit | null> {
  return ledgerAuditSchema.safeParse(await selectSetting(executor, LEDGER_AUDIT_KEY)).data ?? null;
}
