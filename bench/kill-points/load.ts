import type { RemoteFakeGateway } from "#tests/fake-gateway/remote.ts";
import type { Random } from "#tests/random.ts";
import { CheckoutRefused, Customer } from "./customer.ts";
import { SCENARIOS } from "./scenarios.ts";
import type { WebhookProxy } from "./webhook-proxy.ts";

export interface Load {
  /** Starts `size` customers who buy without pause until they are stopped. */
  start(size: number): {
    /** Resolves when this number of scenarios has run. */
    untilCompleted(count: number): Promise<void>;
    stop(): Promise<void>;
  };
  /** Responses with status 5xx outside of a kill. */
  serverErrors: string[];
}

/** Background load: customers who run random scenarios. Failures caused by a kill are expected and end the scenario. */
export function createLoad(options: {
  shopUrl: string;
  gateway: RemoteFakeGateway;
  webhookProxy: WebhookProxy;
  random: Random;
}): Load {
  const { shopUrl, gateway, webhookProxy, random } = options;
  const idleCustomers: Customer[] = [];
  const serverErrors: string[] = [];

  const takeCustomer = async () => idleCustomers.pop() ?? (await Customer.signUp(shopUrl, gateway));
  const returnCustomer = (customer: Customer) => {
    if (customer.canBuyMore) idleCustomers.push(customer);
  };

  async function runScenario(running: { on: boolean }): Promise<void> {
    const customers: Customer[] = [];
    const otherCustomer = async () => {
      const one = await takeCustomer();
      customers.push(one);
      return one;
    };
    try {
      const customer = await takeCustomer();
      customers.push(customer);
      await random.pick(SCENARIOS)({ customer, otherCustomer, gateway, webhookProxy, random });
    } catch (error) {
      if (error instanceof CheckoutRefused && error.status >= 500 && running.on)
        serverErrors.push(error.message);
      await pause(50);
    } finally {
      for (const one of customers) returnCustomer(one);
    }
  }

  function start(size: number) {
    const running = { on: true };
    let completed = 0;
    const buy = async () => {
      while (running.on) {
        await runScenario(running);
        completed++;
      }
    };
    const buyers = Promise.all(Array.from({ length: size }, buy));
    return {
      async untilCompleted(count: number) {
        while (completed < count) await pause(10);
      },
      async stop() {
        running.on = false;
        await buyers;
      },
    };
  }

  return { start, serverErrors };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
