import { Violation } from "./command.ts";
import type { World } from "./world.ts";

/**
 * What must hold in the tables whenever no transaction is under way, however far things have come. Written without the
 * shop's own definitions, so that a mistake in those shows.
 */
const QUERY = `
with tool as (
  select t.id, t.stock, row.available_stock as available, row.name
  from unnest($1::uuid[], $2::int[]) as t(id, stock) join tools row on row.id = t.id
), purchase as (
  select p.*, p.status = 'completed' and p.ended_at is null and p.starts_at <= $4 and p.expires_at > $4 as running
  from user_purchases p where p.user_id = any($3::uuid[])
), payment as (
  select a.*, o.purchase_id, back.refunds, back.paise
  from payment_attempts a
  join payment_orders o on o.id = a.order_id
  join purchase p on p.id = o.purchase_id
  cross join lateral (
    select count(*) as refunds, coalesce(sum(r.amount), 0) as paise from refunds r where r.attempt_id = a.id
  ) back
), kept as (
  select purchase_id, count(*) as payments from payment where outcome in ('pass', 'cancellation') group by purchase_id
), uses as (
  select r.coupon_id, count(*) as taken from coupon_redemptions r join purchase p on p.id = r.purchase_id
  where r.state in ('held', 'used') group by r.coupon_id
)
select 'stock of ' || t.name || ': ' || t.available || ' on the shelf and ' || units.kept || ' kept of ' || t.stock as problem
from tool t cross join lateral (
  select count(*) as kept from purchase p where p.tool_id = t.id and p.stock_state in ('held', 'used')
) units where t.available < 0 or t.available + units.kept <> t.stock
union all
select t.name || ' has ' || passes.running || ' running passes of ' || t.stock
from tool t cross join lateral (
  select count(*) as running from purchase p where p.tool_id = t.id and p.running
) passes where passes.running > t.stock
union all
select 'a coupon with limit ' || c.usage_limit || ' counts ' || c.uses_taken || ' uses, and has ' || coalesce(u.taken, 0)
from coupon_codes c left join uses u on u.coupon_id = c.id
where c.id = $5 and (c.uses_taken <> coalesce(u.taken, 0) or c.uses_taken > c.usage_limit)
union all
select 'one buyer has ' || count(*) || ' running passes of one tool'
from purchase where running group by user_id, tool_id having count(*) > 1
union all
select 'a purchase is ' || p.status || ' and its unit is ' || p.stock_state
from purchase p
where (p.status = 'pending') <> (p.stock_state = 'held') or (p.running and p.stock_state <> 'used')
  or (p.stock_state = 'used' and (p.status = 'failed' or p.ended_at < p.expires_at))
union all
select 'a purchase that is ' || p.status || ' and ' || p.stock_state || ' has a coupon use that is ' || coalesce(r.state, 'missing')
from purchase p left join coupon_redemptions r on r.purchase_id = p.id
where p.coupon_code is not null and r.state is distinct from p.stock_state
union all
select 'a pass of ' || p.amount || ' paise runs on ' || coalesce(k.payments, 0) || ' payments'
from purchase p left join kept k on k.purchase_id = p.id
where p.running and coalesce(k.payments, 0) <> (p.amount > 0)::int
union all
select 'a deleted buyer has a purchase that is ' || p.status
from purchase p join users u on u.id = p.user_id
where u.deleted_at is not null and (p.running or p.status = 'pending')
union all
select 'an order has ' || k.payments || ' payments that were kept' from kept k where k.payments > 1
union all
select 'a payment that is ' || a.status || ' counts as ' || coalesce(a.outcome, 'nothing')
from payment a where (a.status = 'captured') <> (a.outcome is not null)
union all
select 'a payment of ' || a.amount || ' that counts as ' || a.outcome || ' has ' || a.refunds || ' refunds of ' || a.paise
from payment a
where a.refunds <> (coalesce(a.outcome, '') = 'refund')::int or a.paise <> a.amount * a.refunds
union all
select 'a payment of ' || a.amount || ' was kept for a purchase at ' || p.amount
from payment a join purchase p on p.id = a.purchase_id
where a.outcome in ('pass', 'cancellation') and a.amount <> p.amount
union all
select 'a payment counts as a pass, and its purchase is ' || p.status || coalesce(', ended: ' || p.ended_reason, '')
from payment a join purchase p on p.id = a.purchase_id
where a.outcome = 'pass' and (p.status <> 'completed' or coalesce(p.ended_reason, 'user-deleted') <> 'user-deleted')
union all
select 'a payment counts as cancelled without an admin having said why'
from payment a join purchase p on p.id = a.purchase_id
where a.outcome = 'cancellation' and (p.ended_at is null or not exists (
  select from audit_events e where e.subject_type = 'purchase' and e.subject_id = p.id::text
    and e.action = 'purchase.cancelled' and e.actor_kind = 'admin' and length(e.details ->> 'reason') >= 3))`;

/** @throws Violation */
export async function checkTables({ shop, tools, coupon, buyers }: World): Promise<void> {
  const { rows } = await shop.pool.query<{ problem: string }>({
    name: "checkout-world",
    text: QUERY,
    values: [
      tools.map(({ id }) => id),
      tools.map(({ stock }) => stock),
      buyers.map(({ userId }) => userId),
      shop.clock.now(),
      coupon.id,
    ],
  });
  if (rows.length > 0) throw new Violation(rows.map(({ problem }) => problem).join("; "));
}
