import { createRazorpayGateway } from "#adapters/razorpay/razorpay-gateway.ts";
import type { Actor, Context, Log } from "#core/context.ts";
import { GatewayError, type PaymentGateway } from "#core/payments/payment-gateway.ts";
import { startFakeGateway } from "./fake-gateway/fake-gateway.ts";
import { createManualClock } from "./manual-clock.ts";
import { openTestShop, silentLog } from "./open-test-shop.ts";
import type { OwnDatabase } from "./template-database.ts";

const WEBHOOK_SECRET = "fake-webhook-secret";

/** A silent log that keeps the errors that a job logs and then continues, except errors of the gateway. */
function createFaultLog(): { log: Log; faults: string[] } {
  const faults: string[] = [];
  const error = (facts: object, message: string) => {
    const err = "err" in facts ? facts.err : null;
    if (err instanceof Error && !(err instanceof GatewayError)) faults.push(`${message}: ${err.message}`);
  };
  return { log: { ...silentLog, error }, faults };
}

export type FakeGatewayShop = Awaited<ReturnType<typeof startFakeGatewayShop>>;

/**
 * The test shop with the adapter of the real gateway, which calls the fake of the real gateway over a socket. It is in
 * live mode, so that its payments count as revenue. It runs outside the tests' runner too.
 */
export async function startFakeGatewayShop(database: OwnDatabase) {
  // The data is not needed after a crash, so commits do not wait for the disk.
  const url = `${database.url}${database.url.includes("?") ? "&" : "?"}options=-c%20synchronous_commit%3Doff`;
  const clock = createManualClock();
  const fake = await startFakeGateway({
    keyId: "rzp_live_FakeGateway00",
    webhookSecret: WEBHOOK_SECRET,
    now: () => clock.now().getTime(),
  });
  const gatewayWith = (times: { timeoutMs: number; budgetMs: number }): PaymentGateway =>
    createRazorpayGateway({
      name: "razorpay",
      apiUrl: fake.url,
      keyId: fake.keyId,
      keySecret: fake.keySecret,
      webhookSecrets: [WEBHOOK_SECRET],
      checkoutScriptUrl: `${fake.url}/v1/checkout.js`,
      ...times,
    });
  const { log, faults } = createFaultLog();
  // There is no time for a second attempt, so that an operation gets a fault of the gateway at once.
  const withoutRetry = gatewayWith({ timeoutMs: 190, budgetMs: 190 });
  const withRetry = gatewayWith({ timeoutMs: 10_000, budgetMs: 30_000 });
  const shop = openTestShop({ ...database, url }, { clock, log, ports: { gateway: withoutRetry } });

  return {
    ...shop,
    fake,
    /** Errors that jobs have logged and then continued. Reading them removes them. */
    loggedFaults: faults,
    /** @param retries whether the adapter repeats failed requests where that may help, as in production */
    contextFor: (actor: Actor, retries: "no-retry" | "retry" = "no-retry"): Context => {
      const context = shop.contextFor(actor);
      return retries === "no-retry" ? context : { ...context, ports: { ...shop.ports, gateway: withRetry } };
    },
    async close() {
      await fake.close();
      await shop.close();
    },
  };
}
