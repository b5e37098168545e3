import type pg from "pg";

/** A place inside the shop's transactions: the row it is about, and when. */
interface StatementStop {
  /** Of a trigger. */
  when: string;
  on: string;
  /** Waits at the commit instead of the statement. */
  atCommit?: true;
  which?: string;
}

const STOPS = {
  "purchase-written": { when: "after insert", on: "user_purchases" },
  "order-row-written": { when: "after insert", on: "payment_orders" },
  "coupon-use-taken": {
    when: "after update of uses_taken",
    on: "coupon_codes",
    which: "new.uses_taken > old.uses_taken",
  },
  "unit-taken": {
    when: "after update of available_stock",
    on: "tools",
    which: "new.available_stock < old.available_stock",
  },
  "unit-given-back": {
    when: "after update of available_stock",
    on: "tools",
    which: "new.available_stock > old.available_stock",
  },
  "hold-commits": { when: "after insert", on: "user_purchases", atCommit: true },
  "granted-for-nothing": {
    when: "after update of status",
    on: "user_purchases",
    which: "new.status = 'completed' and old.status = 'pending' and new.amount = 0",
  },
  "order-id-noted": {
    when: "before update of gateway_order_id",
    on: "payment_orders",
    which: "old.gateway_order_id is null",
  },
  "event-stored": { when: "before insert", on: "gateway_events" },
  "event-commits": { when: "after insert", on: "gateway_events", atCommit: true },
  "event-put-away": {
    when: "before update of handled_at",
    on: "gateway_events",
    which: "new.handled_at is not null",
  },
  "pass-written": {
    when: "after update of status",
    on: "user_purchases",
    which: "new.status = 'completed' and old.status <> 'completed' and new.amount > 0",
  },
  "payment-written": {
    when: "after insert or update",
    on: "payment_attempts",
    which: "new.outcome = 'pass'",
  },
  "order-settled": {
    when: "after update of state",
    on: "payment_orders",
    which: "new.state = 'settled' and old.state <> 'settled'",
  },
  "pass-commits": {
    when: "after insert or update",
    on: "payment_attempts",
    which: "new.outcome = 'pass'",
    atCommit: true,
  },
  "refund-decided": { when: "after insert", on: "refunds" },
  "refund-mail-queued": {
    when: "after insert",
    on: "mail_messages",
    which: "new.kind = 'payment-refunded'",
  },
  "refund-commits": { when: "after insert", on: "refunds", atCommit: true },
  "refund-answer-noted": {
    when: "before update of status",
    on: "refunds",
    which: "new.status = 'processed'",
  },
} as const satisfies Record<string, StatementStop>;

export type StatementStopName = keyof typeof STOPS;

/** Of the advisory locks; nothing in the shop uses this number. */
const LOCK_CLASS = 710_001;
const NAMES = Object.keys(STOPS);

/**
 * Puts a trigger at every stop of the (throwaway) database. It takes a lock and gives it back at once, which is nothing
 * to wait for unless `holdStatements` has that lock. A lock dies with its connection, so no restart ever finds one.
 */
export async function installStatementStops(client: pg.Client): Promise<void> {
  await client.query(`
    create schema kill_points;
    create function kill_points.pass() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_lock_shared(${LOCK_CLASS}, tg_argv[0]::int);
      perform pg_advisory_unlock_shared(${LOCK_CLASS}, tg_argv[0]::int);
      return new;
    end $$`);
  for (const [number, [name, stop]] of Object.entries<StatementStop>(STOPS).entries()) {
    await client.query(`
      create ${stop.atCommit ? "constraint " : ""}trigger "kill ${name}" ${stop.when} on ${stop.on}
      ${stop.atCommit ? "deferrable initially deferred" : ""} for each row
      ${stop.which ? `when (${stop.which})` : ""} execute function kill_points.pass('${number}')`);
  }
}

/** From now on the shop waits wherever it comes to this stop. */
export async function holdStatements(client: pg.Client, name: StatementStopName): Promise<void> {
  await client.query("select pg_advisory_lock($1, $2)", [LOCK_CLASS, NAMES.indexOf(name)]);
}

/** Whether somebody waits at the stop now. */
export async function isWaiting(client: pg.Client, name: StatementStopName): Promise<boolean> {
  const { rowCount } = await client.query(
    `select 1 from pg_locks
     where locktype = 'advisory' and classid = $1 and objid = $2 and objsubid = 2 and not granted`,
    [LOCK_CLASS, NAMES.indexOf(name)],
  );
  return rowCount !== 0;
}

/** Lets everybody go on. */
export async function letStatementsGo(client: pg.Client, name: StatementStopName): Promise<void> {
  await client.query("select pg_advisory_unlock($1, $2)", [LOCK_CLASS, NAMES.indexOf(name)]);
}
