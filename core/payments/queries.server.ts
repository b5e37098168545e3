import { and, asc, eq, gt, lte, or, type SQL } from "drizzle-orm";
import type { Executor } from "#db/database.ts";
import { type PaymentOrder, paymentOrders } from "#db/tables/payments.ts";

/** The orders that a gateway knows. Test mode and live mode of one gateway do not know each other's orders. */
export function isOrderOfGateway(gateway: { name: string; testMode: boolean }): SQL | undefined {
  return and(eq(paymentOrders.gateway, gateway.name), eq(paymentOrders.testMode, gateway.testMode));
}

/** Orders whose next poll is due, oldest first. `after`: the last order of the previous page. */
export async function listOrdersDueForPoll(
  executor: Executor,
  input: {
    gateway: { name: string; testMode: boolean };
    due: Date;
    after: PaymentOrder | null;
    limit: number;
  },
): Promise<PaymentOrder[]> {
  const { due, after } = input;
  return executor
    .select()
    .from(paymentOrders)
    .where(
      and(
        isOrderOfGateway(input.gateway),
        lte(paymentOrders.nextPollAt, due),
        after
          ? or(
              gt(paymentOrders.createdAt, after.createdAt),
              and(eq(paymentOrders.createdAt, after.createdAt), gt(paymentOrders.id, after.id)),
            )
          : undefined,
      ),
    )
    .orderBy(asc(paymentOrders.createdAt), asc(paymentOrders.id))
    .limit(input.limit);
}
