import { InvariantViolation } from "./command.ts";
import type { Model } from "./model.ts";

/**
 * Invariants of the tables that hold whenever no transaction is open. The query does not use the shop's own
 * definitions, so that it finds mistakes in them.
 */
const QUERY = `
with tool as (
  select t.id, t.stock, row.available_stock as available, row.name
  from unnest($1::uuid[], $2::int[]) as t(id, stock) join tools row on row.id = t.id
), purchase as (
  select p.*, p.status = 'completed' and p.ended_at is null and p.starts_at <= $4 and p.expires_at > $4 as active,
    p.status = 'completed' and p.ended_at is null and p.starts_at > $4 as waiting
  from user_purchases p where p.user_id = any($3::uuid[])
), payment as (
  select a.*, o.purchase_id, o.gateway, refunded.refunds, refunded.paise
  from payment_attempts a
  join payment_orders o on o.id = a.order_id
  join purchase p on p.id = o.purchase_id
  cross join lateral (
    select count(*) as refunds, coalesce(sum(r.amount), 0) as paise from refunds r
    where r.attempt_id = a.id and r.status <> 'charged-back'
  ) refunded
), not_refunded as (
  select purchase_id, count(*) as payments from payment where outcome in ('pass', 'cancellation') group by purchase_id
), uses as (
  select r.coupon_id, count(*) as taken from coupon_redemptions r join purchase p on p.id = r.purchase_id
  where r.state in ('held', 'used') group by r.coupon_id
)
select 'stock of ' || t.name || ': ' || t.available || ' available and ' || units.reserved || ' reserved of ' || t.stock as problem
from tool t cross join lateral (
  select count(*) as reserved from purchase p where p.tool_id = t.id and p.stock_state in ('held', 'used')
) units where t.available < 0 or t.available + units.reserved <> t.stock
union all
select t.name || ' has ' || passes.active || ' active passes of ' || t.stock
from tool t cross join lateral (
  select count(*) as active from purchase p where p.tool_id = t.id and p.active
) passes where passes.active > t.stock
union all
select 'a coupon with limit ' || c.usage_limit || ' counts ' || c.uses_taken || ' uses, and has rows for ' || coalesce(u.taken, 0)
from coupon_codes c left join uses u on u.coupon_id = c.id
where c.id = $5 and (c.uses_taken <> coalesce(u.taken, 0) or c.uses_taken > c.usage_limit)
union all
select 'one buyer has ' || count(*) || ' active passes of one tool'
from purchase where active group by user_id, tool_id having count(*) > 1
union all
select 'one buyer has ' || count(*) || ' renewals of one tool that wait'
from purchase where waiting group by user_id, tool_id having count(*) > 1
union all
select 'a pass without the mark of a renewal waits' from purchase where waiting and not is_renewal
union all
select 'a renewal waits, and no active pass ends when it starts'
from purchase p where p.waiting and not exists (
  select from purchase a where a.active and a.user_id = p.user_id and a.tool_id = p.tool_id and a.expires_at = p.starts_at)
union all
select 'a pass of ' || p.validity || ' days runs from ' || p.starts_at || ' to ' || p.expires_at
from purchase p where p.status = 'completed' and p.expires_at - p.starts_at <> p.validity * interval '1 day'
union all
select 'a purchase is ' || p.status || ' and its stock is ' || p.stock_state
from purchase p
where (p.status = 'pending') <> (p.stock_state = 'held') or ((p.active or p.waiting) and p.stock_state <> 'used')
  or (p.stock_state = 'used' and (p.status = 'failed' or (p.ended_at < p.expires_at and p.ended_reason <> 'charged-back')))
union all
select 'a purchase that is ' || p.status || ' and ' || p.stock_state || ' has a coupon use that is ' || coalesce(r.state, 'missing')
from purchase p left join coupon_redemptions r on r.purchase_id = p.id
where p.coupon_code is not null and r.state is distinct from p.stock_state
union all
select 'a pass of ' || p.amount || ' paise is active or waits on ' || coalesce(k.payments, 0) || ' payments'
from purchase p left join not_refunded k on k.purchase_id = p.id
where (p.active or p.waiting) and coalesce(k.payments, 0) <> (p.amount > 0)::int
union all
select 'a deleted buyer has a purchase that is ' || p.status
from purchase p join users u on u.id = p.user_id
where u.deleted_at is not null and (p.active or p.waiting or p.status = 'pending')
union all
select 'an order has ' || k.payments || ' payments with outcome pass or cancellation' from not_refunded k where k.payments > 1
union all
select 'a payment that is ' || a.status || ' has outcome ' || coalesce(a.outcome, 'none')
from payment a where (a.status = 'captured') <> (a.outcome is not null)
union all
select 'a payment of ' || a.amount || ' with outcome ' || a.outcome || ' has ' || a.refunds || ' refunds of ' || a.paise
from payment a
where a.refunds <> (coalesce(a.outcome, '') = 'refund')::int
  or a.paise not between (a.amount - a.lost) * a.refunds and a.amount * a.refunds
union all
select 'a payment of ' || a.amount || ' with outcome ' || a.outcome || ' has lost ' || a.lost || ', and ' || a.refunded_at_gateway || ' is refunded'
from payment a where a.outcome <> 'refund' and (a.outcome = 'chargeback') <> (a.lost > 0 and a.lost + a.refunded_at_gateway + a.buyer_fee >= a.amount)
union all
select 'a payment has lost ' || a.lost || ' without a lost dispute'
from payment a where a.lost > 0 and not exists (
  select from payment_disputes d where d.gateway_payment_id = a.gateway_payment_id and d.status = 'lost')
union all
select 'a payment of ' || a.amount || ' counts for a purchase of ' || p.amount
from payment a join purchase p on p.id = a.purchase_id
where a.outcome in ('pass', 'cancellation')
  and (a.amount - a.buyer_fee > p.amount or (a.buyer_fee > 0 and a.amount - a.buyer_fee < p.amount))
union all
select 'a payment has outcome pass, and its purchase is ' || p.status || coalesce(', ended: ' || p.ended_reason, '')
from payment a join purchase p on p.id = a.purchase_id
where a.outcome = 'pass' and (p.status <> 'completed' or coalesce(p.ended_reason, 'user-deleted') <> 'user-deleted')
union all
select 'a payment is retained without an audited reason of an admin'
from payment a join purchase p on p.id = a.purchase_id
where a.outcome = 'cancellation' and (p.ended_at is null or not exists (
  select from audit_events e where e.subject_type = 'purchase' and e.subject_id = p.id::text
    and e.action = 'purchase.cancelled' and e.actor_kind = 'admin' and length(e.details ->> 'reason') >= 3))
union all
select 'a payment by hand of ' || a.amount || ' counts for a purchase of ' || p.amount || ', and has ' || c.credits || ' credits'
from payment a join purchase p on p.id = a.purchase_id
cross join lateral (select count(*) as credits from credits c where c.attempt_id = a.id) c
where a.gateway = 'manual' and (a.amount <> p.amount or c.credits <> 1 or a.outcome = 'chargeback')
union all
select 'a refund of the gateway ' || a.gateway || ' is ' || r.status || ', and its payout is ' || coalesce(d.state, 'missing')
from payment a join refunds r on r.attempt_id = a.id left join payouts d on d.refund_id = r.id
where coalesce(d.state, 'missing') <>
  case when a.gateway <> 'manual' then 'missing' when r.status = 'processed' then 'paid' else 'promised' end
union all
select 'a deleted buyer has the reference ' || c.reference
from credits c join payment a on a.id = c.attempt_id join purchase p on p.id = a.purchase_id join users u on u.id = p.user_id
where u.deleted_at is not null and c.reference is not null`;

/** @throws InvariantViolation */
export async function checkTableInvariants({ shop, tools, coupon, buyers }: Model): Promise<void> {
  const { rows } = await shop.pool.query<{ problem: string }>({
    name: "checkout-model",
    text: QUERY,
    values: [
      tools.map(({ id }) => id),
      tools.map(({ stock }) => stock),
      buyers.map(({ userId }) => userId),
      shop.clock.now(),
      coupon.id,
    ],
  });
  if (rows.length > 0) throw new InvariantViolation(rows.map(({ problem }) => problem).join("; "));
}
