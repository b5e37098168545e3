import type { RemoteFakeGateway } from "../../tools/testing/fake-gateway/remote.ts";
import type { Random } from "../../tools/testing/random.ts";
import { Customer, Refused } from "./customer.ts";
import { HABITS } from "./habits.ts";
import type { WebhookRoad } from "./webhook-road.ts";

export interface Crowd {
  /** Lets `size` people buy without pause until they are told to leave. */
  shop(size: number): {
    /** Resolves when so many visits are over. */
    untilVisits(count: number): Promise<void>;
    leave(): Promise<void>;
  };
  /** Answers 5xx while nothing was being killed. */
  faults: string[];
}

/** The buyers. What breaks because of a kill is part of the exercise: whoever meets it goes home. */
export function gatherCrowd(options: {
  shopUrl: string;
  gateway: RemoteFakeGateway;
  road: WebhookRoad;
  random: Random;
}): Crowd {
  const { shopUrl, gateway, road, random } = options;
  const waiting: Customer[] = [];
  const faults: string[] = [];

  const summon = async () => waiting.pop() ?? (await Customer.signUp(shopUrl, gateway));
  const giveBack = (customer: Customer) => {
    if (customer.isFresh) waiting.push(customer);
  };

  async function visit(running: { on: boolean }): Promise<void> {
    const rivals: Customer[] = [];
    const rival = async () => {
      const one = await summon();
      rivals.push(one);
      return one;
    };
    try {
      const customer = await summon();
      rivals.push(customer);
      await random.pick(HABITS)({ customer, rival, gateway, road, random });
    } catch (error) {
      if (error instanceof Refused && error.status >= 500 && running.on) faults.push(error.message);
      await pause(50);
    } finally {
      for (const one of rivals) giveBack(one);
    }
  }

  function shop(size: number) {
    const running = { on: true };
    let visits = 0;
    const buy = async () => {
      while (running.on) {
        await visit(running);
        visits++;
      }
    };
    const buyers = Promise.all(Array.from({ length: size }, buy));
    return {
      async untilVisits(count: number) {
        while (visits < count) await pause(10);
      },
      async leave() {
        running.on = false;
        await buyers;
      },
    };
  }

  return { shop, faults };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
