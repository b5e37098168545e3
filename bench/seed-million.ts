// Fills an empty, migrated database with many users, purchases and coupons.
// node bin/daypass.mjs exec bench/seed-million.ts <database URL> [purchases]; a tenth as many users and coupons
import pg from "pg";

/** Two years: about 4 % of the passes have not expired. */
const DAYS = 730;

interface Sizes {
  users: number;
  /** Each purchase has an order; each completed one has a payment. */
  purchases: number;
  coupons: number;
  tools: number;
  auditEvents: number;
}

export const sizesOf = (rows: number): Sizes => ({
  users: Math.ceil(rows / 10),
  purchases: rows,
  coupons: Math.ceil(rows / 10),
  tools: 50,
  auditEvents: Math.ceil(rows / 2),
});

/** A UUIDv7 in SQL, of a time and a unique number. */
const uuidAt = (time: string, n: string) =>
  `(lpad(to_hex((extract(epoch from ${time}) * 1000)::bigint), 12, '0') || '7' || substr(md5(${n}), 1, 3)
    || '8' || substr(md5(${n}), 4, 15))::uuid`;

const spread = (n: string, rows: number) => `now() - interval '${DAYS} days' * (1 - ${n}::float8 / ${rows})`;

const NAMES = `(array['Asha Rao', 'Ben Miller', 'Chitra Iyer', 'Dev Patel', 'Esha Nair', 'Farhan Khan', 'Gita Joshi', 'Hari'])`;

/** The statements that fill the tables, in order. */
function statements({ users, purchases, coupons, tools, auditEvents }: Sizes): string[] {
  const day = spread("n", users);
  const bought = spread("n", purchases);
  return [
    `insert into users (id, email, display_name, provider, is_active, created_at, last_login)
      select ${uuidAt(day, "'u' || n")}, 'buyer' || n || '.' || substr(md5(n::text), 1, 6) || '@' ||
        (array['gmail.com', 'outlook.com', 'example.in'])[1 + n % 3], ${NAMES}[1 + n % 8] || ' ' || n % 977,
        case when n % 20 = 0 then 'google' else 'email' end, n % 50 <> 0, ${day},
        case when n % 3 <> 0 then ${day} + interval '1 day' * (n % 29) end
      from generate_series(1, ${users}) n`,
    `insert into tools (id, slug, name, description, price_paise, available_stock, is_active, created_at, servers, sells_when_not_ready)
      select ${uuidAt("now()", "'t' || n")}, 'tool-' || n, (array['ChatGPT', 'Canva', 'Netflix', 'Udemy', 'Surfshark'])[1 + n % 5]
        || ' ' || n, 'For the benchmark.', 14900 + n, n % 9, n % 10 <> 0, now() - interval '1 day' * n,
        '[{"id":"server-1","name":"Server 1","url":null}]', true
      from generate_series(1, ${tools}) n`,
    `insert into coupon_codes (id, code, tool_id, discount_percentage, created_at, expires_at, deleted_at)
      select ${uuidAt(spread("n", coupons), "'c' || n")}, 'SAVE' || upper(substr(md5(n::text), 1, 6)) || n,
        (select id from tools where slug = 'tool-' || 1 + n % ${tools}), 10 + n % 50, ${spread("n", coupons)},
        case when n % 2 = 0 then now() + interval '1 day' * (n % 60) end, case when n % 40 = 0 then now() end
      from generate_series(1, ${coupons}) n`,
    // 70 % completed, 30 % failed; the newest 200 are open. 1 % of the completed ones are ended, 1 % deleted.
    `insert into user_purchases (id, user_id, user_email, tool_id, tool_name, validity, list_price_paise, amount, status,
        source, starts_at, captured_at, expires_at, test_mode, ended_at, ended_reason, created_at, stock_state)
      select ${uuidAt("b.at", "'p' || n")}, u.id, u.email, t.id, t.name, 30, 14900, 14900, b.status, 'checkout',
        case when b.status = 'completed' then b.at end, case when b.status = 'completed' then b.at end,
        case when b.status = 'completed' then b.at + interval '30 days' end, n % 100 = 7,
        case when b.ended is not null then b.at + interval '1 day' end, b.ended, b.at, 'used'
      from (select n, ${bought} as at, case when n > ${purchases} - 200 then 'pending' when n % 10 < 7 then 'completed' else 'failed' end as status,
          case when n <= ${purchases} - 200 and n % 100 = 3 then 'cancelled' when n <= ${purchases} - 200 and n % 100 = 4 then 'deleted' end as ended,
          1 + (n::bigint * 7919) % ${users} as buyer
        from generate_series(1, ${purchases}) n) b
      join (select id, email, split_part(substr(email, 6), '.', 1)::int as number from users where email like 'buyer%') u on u.number = b.buyer
      join tools t on t.slug = 'tool-' || 1 + b.n % ${tools}`,
    `insert into payment_orders (id, purchase_id, gateway, gateway_order_id, receipt, amount, currency, test_mode, state, created_at)
      select id, id, 'razorpay', 'order_' || id, id::text, amount, 'INR', test_mode, 'settled', created_at from user_purchases`,
    `insert into payment_attempts (id, order_id, gateway_payment_id, status, amount, captured_at, outcome, created_at)
      select id, id, 'pay_' || id, 'captured', amount, captured_at,
        case when ended_reason = 'cancelled' then 'refund' else 'pass' end, created_at
      from user_purchases where status = 'completed'`,
    `insert into refunds (id, attempt_id, amount, reason, idempotency_key, status)
      select id, id, amount, 'cancelled', id::text, 'processed' from user_purchases
      where status = 'completed' and ended_reason = 'cancelled'`,
    `insert into audit_events (id, actor_kind, actor_id, action, subject_type, subject_id, created_at)
      select ${uuidAt(spread("n", auditEvents), "'a' || n")}, case when n % 1000 = 0 then 'admin' else 'user' end, u.id,
        (array['access-code.revealed', 'account.signed-in', 'purchase.cancelled', 'tool.updated'])[1 + n % 4],
        'purchase', u.id::text, ${spread("n", auditEvents)}
      from generate_series(1, ${auditEvents}) n
      join (select id, row_number() over () as number from (select id from users limit 10000) first) u on u.number = 1 + n % 10000`,
  ];
}

const TABLES =
  "('users', 'tools', 'coupon_codes', 'user_purchases', 'payment_orders', 'payment_attempts', 'refunds', 'audit_events')";

/** Indexes that belong to no constraint, and foreign keys, with the statements that make them again. */
const REMOVABLE = `
  select format('drop index %I', i.relname) as remove, pg_get_indexdef(i.oid) as restore
  from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
  where t.relname in ${TABLES} and t.relnamespace = 'public'::regnamespace
    and not exists (select from pg_constraint c where c.conindid = i.oid)
  union all
  select format('alter table %I drop constraint %I', t.relname, c.conname),
    format('alter table %I add constraint %I %s', t.relname, c.conname, pg_get_constraintdef(c.oid))
  from pg_constraint c join pg_class t on t.oid = c.conrelid where t.relname in ${TABLES} and c.contype in ('f', 'x')`;

/** Indexes and foreign keys are removed meanwhile, which is many times faster. The database must be empty. */
export async function seed(client: pg.Client, sizes: Sizes): Promise<void> {
  const { rows } = await client.query<{ remove: string; restore: string }>(REMOVABLE);
  for (const { remove } of rows) await client.query(remove);
  for (const statement of statements(sizes)) await client.query(statement);
  await client.query("set maintenance_work_mem = '512MB'");
  for (const { restore } of rows) await client.query(restore);
  await client.query("vacuum analyze");
}

if (process.argv[1]?.endsWith("seed-million.ts")) {
  const [url, rows = "1000000"] = process.argv.slice(2);
  if (url === undefined) throw new Error("the address of a database is missing");
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await seed(client, sizesOf(Number(rows)));
  await client.end();
}
