import { withStorage } from "../ui/optional-interfaces.ts";
import type { CheckoutApi, CheckoutStatus } from "./checkout-api.ts";
import type { CheckoutState } from "./dialog/checkout-state.ts";

const KEY = "unfinished-checkout";
/** Longer than a hold. A later outcome is on the dashboard. */
const MAXIMUM_AGE_MS = 30 * 60_000;

/** A checkout of this tab whose outcome the buyer has not seen yet. Without storage only the dashboard shows it after a reload. */
export interface UnfinishedCheckout {
  purchaseId: string;
  slug: string;
  /** The name of the tool. */
  name: string;
}

/** The checkout that a state waits for, from the gateway's window to the outcome. */
function unfinishedOf({ step, offer }: CheckoutState): UnfinishedCheckout | null {
  if (!("checkout" in step) || step.name === "opening" || offer === null) return null;
  return { purchaseId: step.checkout.purchaseId, slug: offer.slug, name: offer.name };
}

/** Remembers the checkout of the state `after`, so that the page finds it after a reload, and forgets one that has ended. */
export function rememberUnfinished(before: CheckoutState, after: CheckoutState): void {
  const checkout = unfinishedOf(after);
  if (checkout?.purchaseId === unfinishedOf(before)?.purchaseId) return;
  if (checkout === null) forgetUnfinished();
  else {
    const { purchaseId, slug, name } = checkout;
    withStorage("session", (storage) =>
      storage.setItem(KEY, [Date.now(), purchaseId, slug, name].join("\n")),
    );
  }
}

function forgetUnfinished(): void {
  withStorage("session", (storage) => storage.removeItem(KEY));
}

/** The checkout that was open when the page was loaded again; null if there is none. */
export function readUnfinished(): UnfinishedCheckout | null {
  return withStorage("session", (storage) => {
    const [at, purchaseId, slug, name] = storage.getItem(KEY)?.split("\n") ?? [];
    if (purchaseId === undefined || slug === undefined || name === undefined) return null;
    return Date.now() - Number(at) < MAXIMUM_AGE_MS ? { purchaseId, slug, name } : null;
  });
}

/**
 * Polls the shop until the outcome of a checkout is known.
 *
 * @param deps.onOpen is called when the shop says that no payment has arrived yet, or that one is being confirmed
 * @returns null when there is nothing to tell: nothing was paid, the checkout is of another account, or no outcome is known after
 *   about two minutes. Only in the last case it stays remembered.
 */
export async function waitForOutcome(
  { purchaseId }: UnfinishedCheckout,
  deps: {
    api: Pick<CheckoutApi, "status">;
    wait: typeof waitFor;
    onOpen: (state: CheckoutStatus["state"]) => void;
  },
  signal: AbortSignal,
): Promise<CheckoutStatus | null> {
  let told: CheckoutStatus["state"] | null = null;
  for (let polls = 0; ; polls++) {
    const result = await deps.api.status(purchaseId, signal);
    if (signal.aborted) return null;
    const isOpen = result.ok
      ? result.value.state === "waiting" || result.value.state === "confirming"
      : result.refusal === null;
    if (!isOpen) {
      forgetUnfinished();
      return result.ok && result.value.state !== "ended" ? result.value : null;
    }
    if (result.ok && result.value.state !== told) {
      told = result.value.state;
      deps.onOpen(told);
    }
    const delay = pollDelay(polls);
    if (delay === null) return null;
    await deps.wait(delay, signal);
  }
}

/** Resolves after `ms`, or never once the signal is aborted. */
export function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });
}

const FIRST_POLLS_SECONDS = [1, 2, 3, 5];
const LATER_POLLS_SECONDS = 8;
const POLLS_END_AFTER_SECONDS = 120;

/**
 * The delay before the next poll of a checkout's status, in milliseconds.
 *
 * @param polls how many polls were made already
 * @returns null after about two minutes: the browser stops polling
 */
export function pollDelay(polls: number): number | null {
  const delays = Array.from(
    { length: polls },
    (_, index) => FIRST_POLLS_SECONDS[index] ?? LATER_POLLS_SECONDS,
  );
  const total = delays.reduce((sum, seconds) => sum + seconds, 0);
  if (total >= POLLS_END_AFTER_SECONDS) return null;
  return (FIRST_POLLS_SECONDS[polls] ?? LATER_POLLS_SECONDS) * 1000;
}
