import type pg from "pg";
import type { PaymentFacts } from "../../tools/testing/fake-gateway/control.ts";
import type { RemoteFakeGateway } from "../../tools/testing/fake-gateway/remote.ts";

interface Written {
  paymentId: string;
  outcome: "pass" | "refund" | "cancellation" | null;
  amount: number | null;
  purchaseStatus: string | null;
  ended: boolean;
  passes: number;
  refunds: number;
  refunded: number;
  refundsDone: number;
  cancellations: number;
}

const WRITTEN = `
  select told.id as "paymentId", a.outcome, a.amount, p.status as "purchaseStatus", p.ended_at is not null as ended,
    (select count(*)::int from payment_attempts o where o.order_id = a.order_id and o.outcome = 'pass') as passes,
    (select count(*)::int from refunds r where r.attempt_id = a.id) as refunds,
    (select coalesce(sum(r.amount), 0)::int from refunds r where r.attempt_id = a.id) as refunded,
    (select count(*)::int from refunds r where r.attempt_id = a.id and r.status = 'processed') as "refundsDone",
    (select count(*)::int from audit_events e
      where e.subject_id = p.id::text and e.action = 'purchase.cancelled') as cancellations
  from unnest($1::text[]) as told (id)
  left join payment_attempts a on a.gateway_payment_id = told.id and a.status = 'captured'
  left join payment_orders o on o.id = a.order_id
  left join user_purchases p on p.id = o.purchase_id`;

async function readWritten(client: pg.Client, paymentIds: readonly string[]): Promise<Written[]> {
  return (await client.query<Written>(WRITTEN, [paymentIds])).rows;
}

/** Exactly one of: the pass of a completed purchase, one refund of all of it, an audited cancellation. */
function isPaymentSettled(one: Written): boolean {
  switch (one.outcome) {
    case "pass":
      return one.purchaseStatus === "completed" && one.passes === 1 && one.refunds === 0;
    case "refund":
      return one.refunds === 1 && one.refunded === one.amount;
    case "cancellation":
      return one.ended && one.refunds === 0 && one.cancellations > 0;
    default:
      return false;
  }
}

/** Of these payments, those that the shop has not accounted for, or not rightly. */
export async function listUnaccounted(client: pg.Client, paymentIds: readonly string[]): Promise<string[]> {
  const written = await readWritten(client, paymentIds);
  return written.filter((one) => !isPaymentSettled(one)).map(({ paymentId }) => paymentId);
}

const PASSES_WITHOUT_MONEY = `
  select p.id from user_purchases p
  where p.status = 'completed' and p.source = 'checkout' and p.amount > 0 and not exists (
    select 1 from payment_orders o join payment_attempts a on a.order_id = o.id
    where o.purchase_id = p.id and a.outcome is not null)`;

/** Everything in which the shop's books and the gateway's differ in the end. */
export async function compareBooks(client: pg.Client, gateway: RemoteFakeGateway): Promise<string[]> {
  const captured = await gateway.capturedPayments();
  const written = await readWritten(
    client,
    captured.map(({ paymentId }) => paymentId),
  );
  const byId = new Map(written.map((one) => [one.paymentId, one]));
  const unpaid = await client.query<{ id: string }>(PASSES_WITHOUT_MONEY);
  const unknown = await client.query<{ id: string }>(
    `select gateway_payment_id as id from payment_attempts
     where outcome is not null and gateway_payment_id <> all($1::text[])`,
    [captured.map(({ paymentId }) => paymentId)],
  );
  return [
    ...captured.flatMap((payment) => differenceOf(payment, byId.get(payment.paymentId))),
    ...unpaid.rows.map(({ id }) => `purchase ${id} is a pass that nobody paid`),
    ...unknown.rows.map(({ id }) => `payment ${id} was never captured at the gateway`),
  ];
}

function differenceOf(payment: PaymentFacts, written: Written | undefined): string[] {
  const { paymentId, amountPaise, refundedPaise, refunds } = payment;
  if (!written || !isPaymentSettled(written)) {
    return [`payment ${paymentId} is not accounted for: ${JSON.stringify(written)}`];
  }
  const sentBack = refunds.filter(({ status }) => status !== "failed").length;
  const [times, paise] = written.outcome === "refund" ? [1, amountPaise] : [0, 0];
  if (sentBack === times && refundedPaise === paise && written.refundsDone === times) return [];
  return [`payment ${paymentId} is a ${written.outcome}, the gateway sent ${refundedPaise} in ${sentBack}`];
}

/** Refunds that are decided and not at their end. */
export async function countUnfinishedRefunds(client: pg.Client): Promise<number> {
  return countRows(client, "select count(*)::int as n from refunds where status <> 'processed'");
}

/** @param query gives one row with the number `n` */
export async function countRows(client: pg.Client, query: string): Promise<number> {
  const { rows } = await client.query<{ n: number }>(query);
  return rows[0]?.n ?? Number.NaN;
}
