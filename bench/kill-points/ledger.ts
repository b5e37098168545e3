import type pg from "pg";
import type { PaymentFacts } from "#tests/fake-gateway/control.ts";
import type { RemoteFakeGateway } from "#tests/fake-gateway/remote.ts";

interface LedgerRow {
  paymentId: string;
  outcome: "pass" | "refund" | "cancellation" | null;
  amount: number | null;
  purchaseStatus: string | null;
  ended: boolean;
  passes: number;
  refunds: number;
  refunded: number;
  processedRefunds: number;
  cancellations: number;
}

const LEDGER = `
  select captured.id as "paymentId", a.outcome, a.amount, p.status as "purchaseStatus", p.ended_at is not null as ended,
    (select count(*)::int from payment_attempts o where o.order_id = a.order_id and o.outcome = 'pass') as passes,
    (select count(*)::int from refunds r where r.attempt_id = a.id) as refunds,
    (select coalesce(sum(r.amount), 0)::int from refunds r where r.attempt_id = a.id) as refunded,
    (select count(*)::int from refunds r where r.attempt_id = a.id and r.status = 'processed') as "processedRefunds",
    (select count(*)::int from audit_events e
      where e.subject_id = p.id::text and e.action = 'purchase.cancelled') as cancellations
  from unnest($1::text[]) as captured (id)
  left join payment_attempts a on a.gateway_payment_id = captured.id and a.status = 'captured'
  left join payment_orders o on o.id = a.order_id
  left join user_purchases p on p.id = o.purchase_id`;

async function readLedger(client: pg.Client, paymentIds: readonly string[]): Promise<LedgerRow[]> {
  return (await client.query<LedgerRow>(LEDGER, [paymentIds])).rows;
}

/** Settled: exactly one of the pass of a completed purchase, one full refund, an audited cancellation. */
function isSettled(row: LedgerRow): boolean {
  switch (row.outcome) {
    case "pass":
      return row.purchaseStatus === "completed" && row.passes === 1 && row.refunds === 0;
    case "refund":
      return row.refunds === 1 && row.refunded === row.amount;
    case "cancellation":
      return row.ended && row.refunds === 0 && row.cancellations > 0;
    default:
      return false;
  }
}

/** The payments that are not settled, or settled wrongly. */
export async function listUnsettledPayments(
  client: pg.Client,
  paymentIds: readonly string[],
): Promise<string[]> {
  const rows = await readLedger(client, paymentIds);
  return rows.filter((row) => !isSettled(row)).map(({ paymentId }) => paymentId);
}

const PASSES_WITHOUT_PAYMENT = `
  select p.id from user_purchases p
  where p.status = 'completed' and p.source = 'checkout' and p.amount > 0 and not exists (
    select 1 from payment_orders o join payment_attempts a on a.order_id = o.id
    where o.purchase_id = p.id and a.outcome is not null)`;

/** All differences between the shop's ledger and the gateway's records. */
export async function compareLedgerWithGateway(
  client: pg.Client,
  gateway: RemoteFakeGateway,
): Promise<string[]> {
  const captured = await gateway.capturedPayments();
  const rows = await readLedger(
    client,
    captured.map(({ paymentId }) => paymentId),
  );
  const byId = new Map(rows.map((row) => [row.paymentId, row]));
  const unpaidPasses = await client.query<{ id: string }>(PASSES_WITHOUT_PAYMENT);
  const unknownPayments = await client.query<{ id: string }>(
    `select gateway_payment_id as id from payment_attempts
     where outcome is not null and gateway_payment_id <> all($1::text[])`,
    [captured.map(({ paymentId }) => paymentId)],
  );
  return [
    ...captured.flatMap((payment) => findDifferences(payment, byId.get(payment.paymentId))),
    ...unpaidPasses.rows.map(({ id }) => `purchase ${id} is a pass without a payment`),
    ...unknownPayments.rows.map(({ id }) => `payment ${id} was never captured at the gateway`),
  ];
}

function findDifferences(payment: PaymentFacts, row: LedgerRow | undefined): string[] {
  const { paymentId, amountPaise, refundedPaise, refunds } = payment;
  if (!row || !isSettled(row)) {
    return [`payment ${paymentId} is not settled: ${JSON.stringify(row)}`];
  }
  const refundCount = refunds.filter(({ status }) => status !== "failed").length;
  const [times, paise] = row.outcome === "refund" ? [1, amountPaise] : [0, 0];
  if (refundCount === times && refundedPaise === paise && row.processedRefunds === times) return [];
  return [
    `payment ${paymentId} is a ${row.outcome}, the gateway refunded ${refundedPaise} paise in ${refundCount} refunds`,
  ];
}

/** Refunds that are requested or processing. */
export async function countUnfinishedRefunds(client: pg.Client): Promise<number> {
  return countRows(client, "select count(*)::int as n from refunds where status <> 'processed'");
}

/** @param query gives one row with the number `n` */
export async function countRows(client: pg.Client, query: string): Promise<number> {
  const { rows } = await client.query<{ n: number }>(query);
  return rows[0]?.n ?? Number.NaN;
}
