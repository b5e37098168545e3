import type pg from "pg";
import type { RemoteFakeGateway } from "../../tools/testing/fake-gateway/remote.ts";
import { listUnaccounted } from "./books.ts";

const WITHIN_MS = 60_000;

interface Accounting {
  tookMs: number;
  /** Payments for which a minute was not enough. */
  late: string[];
  /** Payments that only the next start of the app can find, and that it has still to find. */
  excused: number;
}

/** Waits, after a restart, until the shop has accounted for all that the gateway has captured. */
export function watchAccounting(gateway: RemoteFakeGateway) {
  /** Payments that need no more looking at until the end of the run. */
  const seen = new Set<string>();

  async function listOpen(): Promise<string[]> {
    const captured = await gateway.capturedPayments();
    return captured.map(({ paymentId }) => paymentId).filter((id) => !seen.has(id));
  }

  return async (client: pg.Client, isExcused: (paymentId: string) => boolean): Promise<Accounting> => {
    const began = performance.now();
    for (;;) {
      const listed = await listOpen();
      const open = await listUnaccounted(client, listed);
      for (const id of listed) if (!open.includes(id)) seen.add(id);
      const awaited = open.filter((id) => !isExcused(id));
      const tookMs = performance.now() - began;
      if (awaited.length > 0 && tookMs <= WITHIN_MS) {
        await new Promise((resolve) => setTimeout(resolve, 150));
        continue;
      }
      for (const id of awaited) seen.add(id);
      return { tookMs, late: awaited, excused: open.length - awaited.length };
    }
  };
}
