import { and, eq, inArray, lt } from "drizzle-orm";
import { z } from "zod";
import type { Executor } from "#db/database.ts";
import {
  type PaymentDispute,
  paymentAttempts,
  paymentDisputes,
  unknownPayments,
} from "#db/tables/payments.ts";
import { requireSystem } from "../authorise.ts";
import { saveSetting, selectSetting } from "../catalog/store-settings.server.ts";
import { forEachWithConcurrency } from "../concurrency.ts";
import type { Context } from "../context.ts";
import { DAY, HOUR } from "../time.ts";
import { recordDispute } from "./disputes.server.ts";
import { type GatewayDispute, GatewayError } from "./payment-gateway.ts";
import { isLost, OPEN_DISPUTE_STATES } from "./payment-states.ts";

/** The setting with the last reading of the disputes. */
const DISPUTES_READ_KEY = "disputes-read";
/** Longer than a buyer may wait before a dispute, and a bank before its decision. */
const READ_MS = 365 * DAY;
const INTERVAL_MS = DAY;
const RETRY_MS = HOUR;

const disputesRead = z.object({
  /** ISO 8601, UTC. When the next reading is due. */
  nextAt: z.iso.datetime(),
  /** Why the last one failed; null: it did not. */
  problem: z.string().nullable(),
});

/** The last reading of the disputes; null before the first one. */
export async function selectDisputesRead(executor: Executor): Promise<z.output<typeof disputesRead> | null> {
  return disputesRead.safeParse(await selectSetting(executor, DISPUTES_READ_KEY)).data ?? null;
}

/** The disputes of which something is not recorded, or whose payment became known after their loss. */
async function withoutRecorded(
  executor: Executor,
  page: readonly GatewayDispute[],
): Promise<GatewayDispute[]> {
  const ids = page.map(({ gatewayDisputeId }) => gatewayDisputeId);
  const rows = await executor
    .select({
      dispute: paymentDisputes,
      lostPaise: paymentAttempts.lostPaise,
      unknownState: unknownPayments.state,
    })
    .from(paymentDisputes)
    .leftJoin(paymentAttempts, eq(paymentAttempts.gatewayPaymentId, paymentDisputes.gatewayPaymentId))
    .leftJoin(unknownPayments, eq(unknownPayments.gatewayPaymentId, paymentDisputes.gatewayPaymentId))
    .where(inArray(paymentDisputes.gatewayDisputeId, ids));
  const factsOf = (dispute: GatewayDispute | PaymentDispute) =>
    [
      dispute.status,
      dispute.phase,
      dispute.amountPaise,
      dispute.deductedPaise,
      dispute.respondBy?.getTime(),
    ].join();
  const recorded = new Map(
    rows
      .filter(
        ({ dispute, lostPaise, unknownState }) =>
          !isLost(dispute) || (lostPaise !== 0 && unknownState !== "waiting"),
      )
      .map(({ dispute }) => [dispute.gatewayDisputeId, factsOf(dispute)]),
  );
  return page.filter((dispute) => recorded.get(dispute.gatewayDisputeId) !== factsOf(dispute));
}

/**
 * Reads all disputes of the last year from the gateway once a day, and older ones that are open: the owner may not have chosen
 * their webhook events, and the polls of an order end before most disputes begin. After a failure it tries again in an hour.
 *
 * @throws DomainError forbidden
 */
export async function readDisputes(ctx: Context): Promise<{ read: number }> {
  requireSystem(ctx);
  const { gateway } = ctx.ports;
  const now = ctx.clock.now();
  const last = await selectDisputesRead(ctx.db);
  if (!gateway || (last && Date.parse(last.nextAt) > now.getTime())) return { read: 0 };
  const since = new Date(now.getTime() - READ_MS);
  let read = 0;
  let problem: string | null = null;
  const onError = (error: unknown) => {
    problem = error instanceof Error ? error.message : String(error);
    ctx.log.error({ err: error }, "a dispute could not be recorded");
  };
  const record = async (dispute: GatewayDispute) => {
    await recordDispute(ctx, gateway, dispute);
    read++;
    return true;
  };
  try {
    for await (const page of gateway.listDisputes({ since }))
      await forEachWithConcurrency(await withoutRecorded(ctx.db, page), 1, record, onError);
    const older = await ctx.db
      .select({ gatewayDisputeId: paymentDisputes.gatewayDisputeId })
      .from(paymentDisputes)
      .where(
        and(
          eq(paymentDisputes.gateway, gateway.name),
          eq(paymentDisputes.testMode, gateway.testMode),
          inArray(paymentDisputes.status, OPEN_DISPUTE_STATES),
          lt(paymentDisputes.openedAt, since),
        ),
      );
    const fetchAndRecord = async (one: { gatewayDisputeId: string }) =>
      record(await gateway.fetchDispute(one));
    await forEachWithConcurrency(older, 1, fetchAndRecord, onError);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    problem = error.message;
    ctx.log.warn({ err: error }, "the disputes could not be read; trying again in an hour");
  }
  const nextAt = new Date(now.getTime() + (problem === null ? INTERVAL_MS : RETRY_MS)).toISOString();
  await saveSetting(ctx.db, DISPUTES_READ_KEY, { nextAt, problem });
  return { read };
}
