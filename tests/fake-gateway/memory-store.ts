import {
  type Change,
  findById,
  type GatewayEvent,
  type GatewayStore,
  type OrderRecords,
  type RecordId,
  unknownId,
  webhookBody,
} from "#adapters/sandbox-gateway/entities.ts";

export interface MemoryStore extends GatewayStore {
  /** `change` without waiting: nothing else runs before it has ended. */
  changeNow<Result>(id: RecordId, make: (change: Change) => Result): Result;
  /** All orders, oldest first. */
  all(): OrderRecords[];
}

/**
 * The records of the fake gateway. A receipt may be used again, as at the real gateway by default.
 *
 * @param options.emit called for every event, with the body of its webhook
 */
export function createMemoryStore(options: {
  now: () => Date;
  emit: (event: GatewayEvent, rawBody: string) => void;
}): MemoryStore {
  const orders: OrderRecords[] = [];
  /** By the id of the order, and of each of its payments, refunds and disputes. */
  const byId = new Map<string, OrderRecords>();

  function find(id: RecordId): OrderRecords {
    const found = byId.get(Object.values(id)[0] ?? "");
    if (!found) throw unknownId();
    return found;
  }
  function changeNow<Result>(id: RecordId, make: (change: Change) => Result): Result {
    const records = find(id);
    const now = options.now();
    const emit = (event: GatewayEvent) => options.emit(event, webhookBody(event, now));
    const made = make({ ...records, now, emit });
    for (const one of [...records.payments, ...records.refunds, ...records.disputes])
      byId.set(one.id, records);
    return made;
  }

  return {
    addOrder: async (order) => {
      const records = { order, payments: [], refunds: [], disputes: [] };
      orders.push(records);
      byId.set(order.id, records);
      return true;
    },
    listOrders: async ({ receipt, from = 0, to = Number.POSITIVE_INFINITY, count, skip }) =>
      orders
        .map(({ order }) => order)
        .filter((order) => receipt === undefined || order.receipt === receipt)
        .filter(
          ({ createdAt }) => createdAt.getTime() >= from * 1000 && createdAt.getTime() < (to + 1) * 1000,
        )
        .toReversed()
        .slice(skip, skip + count),
    listDisputes: async ({ from = 0, to = Number.POSITIVE_INFINITY, count, skip }) =>
      orders
        .flatMap(({ disputes, payments }) =>
          disputes.map((dispute) => ({
            ...dispute,
            currency: findById(payments, dispute.paymentId).currency,
          })),
        )
        .filter(
          ({ createdAt }) => createdAt.getTime() >= from * 1000 && createdAt.getTime() < (to + 1) * 1000,
        )
        .toSorted((one, other) => other.createdAt.getTime() - one.createdAt.getTime())
        .slice(skip, skip + count),
    find: async (id) => find(id),
    change: async (id, make) => changeNow(id, make),
    changeNow,
    all: () => orders,
  };
}
