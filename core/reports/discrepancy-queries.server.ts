import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { Executor } from "#db/database.ts";
import { couponCodes, tools } from "#db/tables/catalog.ts";
import { auditEvents, settings } from "#db/tables/operations.ts";
import { paymentAttempts, paymentOrders, refunds, webhookEvents } from "#db/tables/payments.ts";
import { couponRedemptions, userPurchases } from "#db/tables/purchases.ts";
import { MINIMUM_REFUND_PAISE } from "../payments/payment-gateway.ts";
import {
  type Discrepancy,
  finding,
  LEDGER_AUDIT_KEY,
  type LedgerAudit,
  ledgerAudit,
} from "./discrepancies.ts";

/** So many discrepancies of a kind are told one by one; all are counted. */
const LISTED = 50;

export interface MoneyLimits {
  /** Payments captured after this may still be on their way to a pass. */
  capturedBefore: Date;
  /** Refunds decided before this should be finished. */
  refundDueBefore: Date;
  /** Whether what happened in test mode is looked at too. */
  testMode: boolean;
}

/** Test money of a shop that takes real money by now can neither be settled nor paid back, and is nobody's loss. */
export const realOrders = (testMode: boolean): SQL => sql`(not ${paymentOrders.testMode} or ${testMode})`;

const isPass = sql`${userPurchases.status} in ('completed', 'active')
  and coalesce(${userPurchases.endedReason}, '') not in ('refunded', 'cancelled')`;

const isAudited = sql`exists (
  select from ${auditEvents} where ${auditEvents.subjectType} = 'purchase'
    and ${auditEvents.subjectId} = ${paymentOrders.purchaseId}::text and ${auditEvents.action} = 'purchase.cancelled')`;

/** A payment that the shop kept stands alone for its order and went back to nobody. */
const keptWell = sql`case
  when refunded.refunds > 0 then 'refund-beside-pass'
  when ${paymentAttempts.orderId} in (select order_id from kept_twice) then 'order-kept-twice' end`;

/** The owner had paid back all but a rest that no provider pays back. */
const tooLittleLeft = sql`(refunded.paise = ${paymentAttempts.refundedPaise}
  and ${paymentAttempts.amountPaise} - refunded.paise < ${MINIMUM_REFUND_PAISE})`;

const oddPayments = ({ capturedBefore, testMode }: MoneyLimits) => sql`
  with refunded as (
    select ${refunds.attemptId} as attempt_id, count(*) as refunds, sum(${refunds.amountPaise}) as paise
    from ${refunds} group by ${refunds.attemptId}
  ), kept_twice as (
    select ${paymentAttempts.orderId} as order_id from ${paymentAttempts}
    where ${paymentAttempts.outcome} in ('pass', 'cancellation')
    group by ${paymentAttempts.orderId} having count(*) > 1
  ), judged as (
    select ${paymentAttempts.gatewayPaymentId} as payment_id, ${paymentAttempts.orderId} as order_id,
      ${paymentOrders.purchaseId} as purchase_id, ${paymentAttempts.amountPaise} as amount,
      case ${paymentAttempts.outcome}
        when 'refund' then
          case when refunded.refunds = 1 and (refunded.paise = ${paymentAttempts.amountPaise} or ${tooLittleLeft}) then null else 'refund-missing' end
        when 'pass' then
          case when ${isPass} then ${keptWell} else 'pass-missing' end
        when 'cancellation' then
          case when ${isAudited} then ${keptWell} else 'cancellation-unaudited' end
        else 'no-outcome'
      end as kind
    from ${paymentAttempts}
    join ${paymentOrders} on ${paymentOrders.id} = ${paymentAttempts.orderId}
    left join ${userPurchases} on ${userPurchases.id} = ${paymentOrders.purchaseId}
    left join refunded on refunded.attempt_id = ${paymentAttempts.id}
    where ${paymentAttempts.status} = 'captured'
      and coalesce(${paymentAttempts.capturedAt}, ${paymentAttempts.createdAt}) <= ${capturedBefore}
      and ${realOrders(testMode)}
  )
  select kind, jsonb_build_object('paymentId', payment_id, 'orderId', order_id, 'purchaseId', purchase_id,
    'amountPaise', amount) as facts
  from judged where kind is not null`;

/** A signed event told of money for an order of ours, and the payment has not become anything. */
const oddEvents = ({ capturedBefore, testMode }: MoneyLimits) => sql`
  select 'told-and-not-settled', jsonb_build_object('paymentId', ${webhookEvents.gatewayPaymentId},
    'orderId', ${paymentOrders.id}, 'purchaseId', ${paymentOrders.purchaseId}, 'amountPaise', ${paymentOrders.amountPaise})
  from ${webhookEvents}
  join ${paymentOrders} on ${paymentOrders.gatewayOrderId} = ${webhookEvents.gatewayOrderId}
    and ${paymentOrders.gateway} = ${webhookEvents.gateway}
  left join ${paymentAttempts} on ${paymentAttempts.gatewayPaymentId} = ${webhookEvents.gatewayPaymentId}
  where ${webhookEvents.type} = 'payment.captured' and ${webhookEvents.createdAt} <= ${capturedBefore}
    and ${webhookEvents.gatewayPaymentId} is not null and ${paymentAttempts.outcome} is null
    and ${realOrders(testMode)}`;

const oddRefunds = ({ refundDueBefore, testMode }: MoneyLimits) => sql`
  select case when ${refunds.status} = 'failed' then 'refund-failed' else 'refund-overdue' end,
    jsonb_build_object('refundId', ${refunds.id}, 'paymentId', ${paymentAttempts.gatewayPaymentId},
      'purchaseId', ${paymentOrders.purchaseId}, 'amountPaise', ${refunds.amountPaise})
  from ${refunds}
  join ${paymentAttempts} on ${paymentAttempts.id} = ${refunds.attemptId}
  join ${paymentOrders} on ${paymentOrders.id} = ${paymentAttempts.orderId}
  where (${refunds.status} = 'failed'
      or (${refunds.status} in ('requested', 'processing') and ${refunds.createdAt} <= ${refundDueBefore}))
    and ${realOrders(testMode)}`;

const oddCounters = sql`
  select 'stock-below-zero', jsonb_build_object('toolId', ${tools.id}, 'stock', ${tools.availableStock})
  from ${tools} where ${tools.availableStock} < 0
  union all
  select 'coupon-miscounted', jsonb_build_object('couponId', ${couponCodes.id}, 'counted', ${couponCodes.usesTaken},
    'uses', coalesce(taken.uses, 0))
  from ${couponCodes}
  left join (
    select ${couponRedemptions.couponId} as coupon_id, count(*) as uses
    from ${couponRedemptions} where ${couponRedemptions.state} in ('held', 'used') group by ${couponRedemptions.couponId}
  ) taken on taken.coupon_id = ${couponCodes.id}
  where ${couponCodes.usesTaken} <> coalesce(taken.uses, 0)`;

/** Everything that is wrong in the books, of one moment; of each kind the first few rows. */
export async function selectDiscrepancies(executor: Executor, limits: MoneyLimits): Promise<Discrepancy[]> {
  const { rows } = await executor.execute(sql`
    select kind, facts, total from (
      select kind, facts, count(*) over (partition by kind) as total,
        row_number() over (partition by kind order by facts) as place
      from (${oddPayments(limits)} union all ${oddEvents(limits)} union all ${oddRefunds(limits)} union all ${oddCounters}) found
    ) numbered where place <= ${LISTED} order by kind, place`);
  return z.array(finding).parse(rows);
}

export async function saveLedgerAudit(executor: Executor, value: LedgerAudit): Promise<void> {
  await executor
    .insert(settings)
    .values({ key: LEDGER_AUDIT_KEY, value })
    .onConflictDoUpdate({ target: settings.key, set: { value, updatedAt: sql`now()` } });
}

/** null before the first look. */
export async function selectLedgerAudit(executor: Executor): Promise<LedgerAudit | null> {
  const [kept] = await executor
    .select({ value: settings.value })
    .from(settings)
    .where(sql`${settings.key} = ${LEDGER_AUDIT_KEY}`);
  return ledgerAudit.safeParse(kept?.value).data ?? null;
}
