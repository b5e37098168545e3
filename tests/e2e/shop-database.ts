import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { z } from "zod";
import { readRecord } from "#server/embedded-postgres/cluster.ts";

const ANNOUNCE_CHANGES =
  "select pg_notify('daypass_live', topic || ' ' || pg_current_xact_id()) from unnest(array['tools', 'settings']) as topic";
const pointer = z.object({ home: z.string() });
const countRows = z.tuple([z.object({ count: z.coerce.number() })]);
const stockRows = z.tuple([z.object({ stock: z.number() })]);
const mailRows = z.array(z.object({ subject: z.string(), text: z.string() }));
const purchaseRows = z.array(
  z.object({ tool: z.string(), status: z.string(), stock: z.string(), days: z.number(), amount: z.number() }),
);

/** Reads the available stock of a tool from the database. */
export async function readStock(slug: string): Promise<number> {
  const rows = await query("select available_stock as stock from tools where slug = $1", [slug]);
  return stockRows.parse(rows)[0].stock;
}

/** All purchases of one user, oldest first. `amount` in paise. */
export async function listPurchases(email: string): Promise<z.infer<typeof purchaseRows>> {
  return purchaseRows.parse(
    await query(
      `select tool_name as tool, status, stock_state as stock, validity as days, amount
       from user_purchases where user_email = $1 order by created_at`,
      [email],
    ),
  );
}

const gatewayIdRows = z.tuple([z.object({ orderId: z.string(), paymentId: z.string() })]);

/** The ids of the order and of the payment of a purchase at the gateway. */
export async function readGatewayIds(purchaseId: string): Promise<string[]> {
  const rows = await query(
    `select gateway_order_id as "orderId", gateway_payment_id as "paymentId" from payment_orders
     join payment_attempts on payment_attempts.order_id = payment_orders.id where purchase_id = $1`,
    [purchaseId],
  );
  const [{ orderId, paymentId }] = gatewayIdRows.parse(rows);
  return [orderId, paymentId];
}

/** Number of captured payments of one user. */
export async function countCaptures(email: string): Promise<number> {
  const rows = await query(
    `select count(*) from payment_attempts join payment_orders on payment_orders.id = payment_attempts.order_id
     join user_purchases on user_purchases.id = payment_orders.purchase_id
     where payment_attempts.status = 'captured' and user_email = $1`,
    [email],
  );
  return countRows.parse(rows)[0].count;
}

export async function listMails(email: string): Promise<z.infer<typeof mailRows>> {
  return mailRows.parse(
    await query("select subject, text from mail_messages where recipient = $1 order by created_at", [email]),
  );
}

/** Activates or deactivates the access code of a server. */
export async function setCodeActive(slug: string, server: string, active: boolean): Promise<void> {
  await query(
    `update access_codes set is_active = $3 from tools
     where tools.id = access_codes.tool_id and tools.slug = $1 and server_name = $2`,
    [slug, server, active],
  );
}

/** Puts a tool on sale or takes it off. */
export async function setOnSale(slug: string, onSale: boolean): Promise<void> {
  await query("update tools set is_active = $2 where slug = $1", [slug, onSale]);
}

/** Sets where a tool works. @returns where it worked before */
export async function setWorksOn(slug: string, places: readonly string[]): Promise<string[]> {
  const rows = await query(
    `update tools set works_on = $2::jsonb from (select id, works_on as before from tools) old
     where tools.id = old.id and slug = $1 returning before`,
    [slug, JSON.stringify(places)],
  );
  return z.tuple([z.object({ before: z.array(z.string()) })]).parse(rows)[0].before;
}

/** Sets the owner's steps of use of a tool; without any, its page has the shop's own. @returns the steps of before */
export async function setStepsOfUse(slug: string, steps: readonly string[]): Promise<string[]> {
  const rows = await query(
    `update tools set how_to_use = $2::jsonb from (select id, how_to_use as before from tools) old
     where tools.id = old.id and slug = $1 returning before`,
    [slug, JSON.stringify(steps)],
  );
  return z.tuple([z.object({ before: z.array(z.string()) })]).parse(rows)[0].before;
}

/** Sets the address of a tool. @returns the address before */
export async function setLaunchUrl(slug: string, url: string | null): Promise<string | null> {
  const rows = await query(
    `update tools set launch_url = $2 from (select id, launch_url as before from tools) old
     where tools.id = old.id and slug = $1 returning before`,
    [slug, url],
  );
  return z.tuple([z.object({ before: z.string().nullable() })]).parse(rows)[0].before;
}

interface NewCoupon {
  slug: string;
  discountPercentage: number;
  usageLimit?: number;
  isActive?: boolean;
  expiresAt?: Date;
}

/** Inserts a coupon of a tool. @returns its code */
export async function addCoupon(coupon: NewCoupon): Promise<string> {
  const code = `E2E${randomUUID().slice(0, 8).toUpperCase()}`;
  const { slug, discountPercentage, usageLimit = null, isActive = true, expiresAt = null } = coupon;
  await query(
    `insert into coupon_codes (id, code, tool_id, discount_percentage, usage_limit, is_active, expires_at)
     select gen_random_uuid(), $1, id, $3, $4, $5, $6 from tools where slug = $2`,
    [code, slug, discountPercentage, usageLimit, isActive, expiresAt],
  );
  return code;
}

/** Changes the discount of a coupon. */
export async function changeCoupon(code: string, discountPercentage: number): Promise<void> {
  await query("update coupon_codes set discount_percentage = $2 where code = $1", [code, discountPercentage]);
}

/** Number of uses of a coupon, held ones included. */
export async function countCouponUses(code: string): Promise<number> {
  const rows = await query("select uses_taken as count from coupon_codes where code = $1", [code]);
  return countRows.parse(rows)[0].count;
}

/** When the latest pass of one user expires. */
export async function readExpiry(email: string): Promise<Date> {
  const rows = await query("select max(expires_at) as at from user_purchases where user_email = $1", [email]);
  return z.tuple([z.object({ at: z.date() })]).parse(rows)[0].at;
}

/** Moves all passes of one user into the past, so that they expire at `at`. */
export async function expirePasses(email: string, at: Date): Promise<void> {
  await query(
    `update user_purchases set expires_at = $2::timestamptz,
       starts_at = $2::timestamptz - make_interval(days => validity),
       captured_at = $2::timestamptz - make_interval(days => validity)
     where user_email = $1 and status = 'completed'`,
    [email, at],
  );
}

/** The stored settings of the shop, for `restoreSettings`. */
export async function readSettings(): Promise<unknown[]> {
  return await query("select key, value from settings", []);
}

/** Replaces all settings of the shop with those that `readSettings` returned. */
export async function restoreSettings(rows: unknown[]): Promise<void> {
  await query(
    `with kept as (select * from jsonb_to_recordset($1::jsonb) as kept (key text, value jsonb)),
       removed as (delete from settings where key not in (select key from kept))
     insert into settings (key, value) select key, value from kept
     on conflict (key) do update set value = excluded.value, updated_at = now()`,
    [JSON.stringify(rows)],
  );
}

/** Makes the last entry of every admin's password 16 minutes old. */
export async function makePasswordEntriesOld(): Promise<void> {
  await query("update sessions set password_entered_at = now() - interval '16 minutes'", []);
}

/** @param dataDir of the shop; by default the shared shop of all tests */
export async function query(
  text: string,
  values: readonly unknown[],
  dataDir = process.env.E2E_DATA_DIR ?? "",
): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: databaseUrlOf(dataDir) });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(text, [...values]);
    // The shop announces its own changes only. Without this it would send a stored page for up to a second.
    if (!/^\s*select/i.test(text)) await client.query(ANNOUNCE_CHANGES);
    return rows;
  } finally {
    await client.end();
  }
}

/** Connection URL of the embedded database of a shop. */
export function databaseUrlOf(dataDir: string): string {
  const { port, shopPassword } = readRecord(clusterFolder(dataDir));
  return `postgres://daypass:${shopPassword}@127.0.0.1:${port}/daypass?sslmode=disable`;
}

/** The folder of the database cluster. */
export function clusterFolder(dataDir: string): string {
  const local = join(dataDir, "pg");
  const elsewhere = join(local, "elsewhere.json");
  const home = existsSync(elsewhere)
    ? pointer.parse(JSON.parse(readFileSync(elsewhere, "utf8"))).home
    : local;
  const major = readdirSync(home).find((name) => /^\d+$/.test(name));
  if (major === undefined) throw new Error(`There is no database in ${home}.`);
  return join(home, major);
}
