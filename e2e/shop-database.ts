import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { z } from "zod";
import { readRecord } from "#server/embedded-postgres/cluster.ts";

const pointer = z.object({ home: z.string() });
const counted = z.tuple([z.object({ count: z.coerce.number() })]);
const stocked = z.tuple([z.object({ stock: z.number() })]);
const mailed = z.array(z.object({ subject: z.string(), text: z.string() }));
const bought = z.array(
  z.object({ tool: z.string(), status: z.string(), stock: z.string(), days: z.number(), amount: z.number() }),
);

/** What the shop has written down, read past its screens. */
export async function stockOf(slug: string): Promise<number> {
  const rows = await query("select available_stock as stock from tools where slug = $1", [slug]);
  return stocked.parse(rows)[0].stock;
}

/** All purchases of one person, whatever became of them, oldest first. `amount` in paise. */
export async function purchasesOf(email: string): Promise<z.infer<typeof bought>> {
  return bought.parse(
    await query(
      `select tool_name as tool, status, stock_state as stock, validity as days, amount
       from user_purchases where user_email = $1 order by created_at`,
      [email],
    ),
  );
}

/** How often somebody's money was taken. */
export async function capturesOf(email: string): Promise<number> {
  const rows = await query(
    `select count(*) from payment_attempts join payment_orders on payment_orders.id = payment_attempts.order_id
     join user_purchases on user_purchases.id = payment_orders.purchase_id
     where payment_attempts.status = 'captured' and user_email = $1`,
    [email],
  );
  return counted.parse(rows)[0].count;
}

export async function mailsTo(email: string): Promise<z.infer<typeof mailed>> {
  return mailed.parse(
    await query("select subject, text from mail_messages where recipient = $1 order by created_at", [email]),
  );
}

/** Takes one server's code out of use, or puts it back. */
export async function putCodeInUse(slug: string, server: string, active: boolean): Promise<void> {
  await query(
    `update access_codes set is_active = $3 from tools
     where tools.id = access_codes.tool_id and tools.slug = $1 and server_name = $2`,
    [slug, server, active],
  );
}

interface NewCoupon {
  slug: string;
  discountPercentage: number;
  usageLimit?: number;
  isActive?: boolean;
  expiresAt?: Date;
}

/** A coupon of a tool, with a code of its own. */
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

/** Changes what a coupon allows, as its owner could at any moment. */
export async function changeCoupon(code: string, discountPercentage: number): Promise<void> {
  await query("update coupon_codes set discount_percentage = $2 where code = $1", [code, discountPercentage]);
}

/** Uses taken of a coupon, held ones with them. */
export async function usesOf(code: string): Promise<number> {
  const rows = await query("select uses_taken as count from coupon_codes where code = $1", [code]);
  return counted.parse(rows)[0].count;
}

/** When the latest pass of one person ends. */
export async function expiryOf(email: string): Promise<Date> {
  const rows = await query("select max(expires_at) as at from user_purchases where user_email = $1", [email]);
  return z.tuple([z.object({ at: z.date() })]).parse(rows)[0].at;
}

/** Puts all passes of one person into the past, so that they end at this moment. */
export async function endPasses(email: string, at: Date): Promise<void> {
  await query(
    `update user_purchases set expires_at = $2::timestamptz,
       starts_at = $2::timestamptz - make_interval(days => validity),
       captured_at = $2::timestamptz - make_interval(days => validity)
     where user_email = $1 and status = 'completed'`,
    [email, at],
  );
}

/** @param dataDir of another shop than the one that all journeys share */
export async function query(
  text: string,
  values: readonly unknown[],
  dataDir = process.env.E2E_DATA_DIR ?? "",
): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: databaseUrlOf(dataDir) });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

/** Where the embedded database of a shop is reached. */
export function databaseUrlOf(dataDir: string): string {
  const { port, shopPassword } = readRecord(clusterFolder(dataDir));
  return `postgres://daypass:${shopPassword}@127.0.0.1:${port}/daypass?sslmode=disable`;
}

/** The folder of the embedded database itself. */
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
