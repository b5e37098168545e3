import type pg from "pg";

/** A breakpoint inside a transaction of the shop, as a trigger on a table. */
interface StatementBreakpoint {
  /** Timing and event of the trigger. */
  when: string;
  on: string;
  /** Waits at the commit, not at the statement. */
  atCommit?: true;
  condition?: string;
}

const BREAKPOINTS = {
  "purchase-written": { when: "after insert", on: "user_purchases" },
  "order-row-written": { when: "after insert", on: "payment_orders" },
  "coupon-use-taken": {
    when: "after update of uses_taken",
    on: "coupon_codes",
    condition: "new.uses_taken > old.uses_taken",
  },
  "stock-taken": {
    when: "after update of available_stock",
    on: "tools",
    condition: "new.available_stock < old.available_stock",
  },
  "stock-released": {
    when: "after update of available_stock",
    on: "tools",
    condition: "new.available_stock > old.available_stock",
  },
  "hold-commits": { when: "after insert", on: "user_purchases", atCommit: true },
  "free-pass-written": {
    when: "after update of status",
    on: "user_purchases",
    condition: "new.status = 'completed' and old.status = 'pending' and new.amount = 0",
  },
  "order-id-stored": {
    when: "before update of gateway_order_id",
    on: "payment_orders",
    condition: "old.gateway_order_id is null",
  },
  "event-stored": { when: "before insert", on: "gateway_events" },
  "event-commits": { when: "after insert", on: "gateway_events", atCommit: true },
  "event-processed": {
    when: "before update of handled_at",
    on: "gateway_events",
    condition: "new.handled_at is not null",
  },
  "pass-written": {
    when: "after update of status",
    on: "user_purchases",
    condition: "new.status = 'completed' and old.status <> 'completed' and new.amount > 0",
  },
  "payment-written": {
    when: "after insert or update",
    on: "payment_attempts",
    condition: "new.outcome = 'pass'",
  },
  "order-settled": {
    when: "after update of state",
    on: "payment_orders",
    condition: "new.state = 'settled' and old.state <> 'settled'",
  },
  "pass-commits": {
    when: "after insert or update",
    on: "payment_attempts",
    condition: "new.outcome = 'pass'",
    atCommit: true,
  },
  "refund-decided": { when: "after insert", on: "refunds" },
  "refund-mail-queued": {
    when: "after insert",
    on: "mail_messages",
    condition: "new.kind = 'payment-refunded'",
  },
  "refund-commits": { when: "after insert", on: "refunds", atCommit: true },
  "refund-response-stored": {
    when: "before update of status",
    on: "refunds",
    condition: "new.status = 'processed'",
  },
} as const satisfies Record<string, StatementBreakpoint>;

export type StatementBreakpointName = keyof typeof BREAKPOINTS;

/** Class of the advisory locks. The shop does not use this number. */
const LOCK_CLASS = 710_001;
const NAMES = Object.keys(BREAKPOINTS);

/**
 * Installs a trigger for every breakpoint in the (throwaway) database. A trigger takes a shared lock and releases it,
 * so it waits only while `setStatementBreakpoint` holds the lock. Locks end with their connection, so a restart
 * releases all of them.
 */
export async function installStatementBreakpoints(client: pg.Client): Promise<void> {
  await client.query(`
    create schema kill_points;
    create function kill_points.pass() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_lock_shared(${LOCK_CLASS}, tg_argv[0]::int);
      perform pg_advisory_unlock_shared(${LOCK_CLASS}, tg_argv[0]::int);
      return new;
    end $$`);
  for (const [number, [name, breakpoint]] of Object.entries<StatementBreakpoint>(BREAKPOINTS).entries()) {
    await client.query(`
      create ${breakpoint.atCommit ? "constraint " : ""}trigger "kill ${name}" ${breakpoint.when} on ${breakpoint.on}
      ${breakpoint.atCommit ? "deferrable initially deferred" : ""} for each row
      ${breakpoint.condition ? `when (${breakpoint.condition})` : ""} execute function kill_points.pass('${number}')`);
  }
}

/** The shop waits at this breakpoint until it is cleared. */
export async function setStatementBreakpoint(
  client: pg.Client,
  name: StatementBreakpointName,
): Promise<void> {
  await client.query("select pg_advisory_lock($1, $2)", [LOCK_CLASS, NAMES.indexOf(name)]);
}

/** Whether the shop waits at the breakpoint now. */
export async function isStatementPaused(client: pg.Client, name: StatementBreakpointName): Promise<boolean> {
  const { rowCount } = await client.query(
    `select 1 from pg_locks
     where locktype = 'advisory' and classid = $1 and objid = $2 and objsubid = 2 and not granted`,
    [LOCK_CLASS, NAMES.indexOf(name)],
  );
  return rowCount !== 0;
}

/** Continues all that wait at the breakpoint. */
export async function clearStatementBreakpoint(
  client: pg.Client,
  name: StatementBreakpointName,
): Promise<void> {
  await client.query("select pg_advisory_unlock($1, $2)", [LOCK_CLASS, NAMES.indexOf(name)]);
}
