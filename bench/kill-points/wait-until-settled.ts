import type pg from "pg";
import type { RemoteFakeGateway } from "#tests/fake-gateway/remote.ts";
import { listUnsettledPayments } from "./ledger.ts";

const SETTLE_TIMEOUT_MS = 60_000;

interface SettlementWait {
  tookMs: number;
  /** Payments that were not settled within a minute. */
  late: string[];
  /** Unsettled payments that only the next start of the app can find. */
  deferred: number;
}

/** Waits after a restart until every captured payment is settled. */
export function createSettlementWaiter(gateway: RemoteFakeGateway) {
  /** Payments that are checked, and not checked again before the end of the run. */
  const seen = new Set<string>();

  async function listOpen(): Promise<string[]> {
    const captured = await gateway.capturedPayments();
    return captured.map(({ paymentId }) => paymentId).filter((id) => !seen.has(id));
  }

  return async (client: pg.Client, isDeferred: (paymentId: string) => boolean): Promise<SettlementWait> => {
    const began = performance.now();
    for (;;) {
      const listed = await listOpen();
      const open = await listUnsettledPayments(client, listed);
      for (const id of listed) if (!open.includes(id)) seen.add(id);
      const awaited = open.filter((id) => !isDeferred(id));
      const tookMs = performance.now() - began;
      if (awaited.length > 0 && tookMs <= SETTLE_TIMEOUT_MS) {
        await new Promise((resolve) => setTimeout(resolve, 150));
        continue;
      }
      for (const id of awaited) seen.add(id);
      return { tookMs, late: awaited, deferred: open.length - awaited.length };
    }
  };
}
