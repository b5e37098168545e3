import type { OpenedCheckout, PaidCallback } from "../endpoints/api-schemas.ts";

/** What the gateway's script calls while its window is open. */
export interface WindowEvents {
  paid(paid: PaidCallback): void;
  declined(): void;
  dismissed(): void;
}

/** The payment provider's own window, over ours. */
export interface GatewayWindow {
  /** Loads the provider's script, once. @throws Error when it cannot be loaded */
  load(checkout: OpenedCheckout): Promise<void>;
  /** @throws Error when the script refuses */
  open(checkout: OpenedCheckout, events: WindowEvents): void;
}

interface GatewayAnswer {
  razorpay_order_id: string;
  razorpay_payment_id: string;
  razorpay_signature: string;
}

interface GatewayInstance {
  open(): void;
  on(event: "payment.failed", listener: () => void): void;
}

/** The script's contract, the part that is used here. Amounts in paise. */
type GatewayConstructor = new (options: {
  key: string;
  order_id: string;
  amount: number;
  currency: string;
  name: string;
  description: string;
  prefill: { email: string };
  /** Seconds until the window closes by itself. */
  timeout: number;
  handler(answer: GatewayAnswer): void;
  modal: { ondismiss(): void };
}) => GatewayInstance;

declare global {
  interface Window {
    Razorpay?: GatewayConstructor;
  }
}

const LOAD_PATIENCE_MS = 20_000;
const loading = new Map<string, Promise<void>>();

/** @param storeName who asks for the money, in the words of the provider's window */
export function createGatewayWindow(storeName: () => string): GatewayWindow {
  return {
    load: ({ scriptUrl }) => {
      const known = loading.get(scriptUrl);
      if (known) return known;
      const fresh = loadScript(scriptUrl).catch((error: unknown) => {
        loading.delete(scriptUrl);
        throw error;
      });
      loading.set(scriptUrl, fresh);
      return fresh;
    },
    open: (checkout, events) => {
      if (!window.Razorpay) throw new Error("the payment script brought no checkout");
      const instance = new window.Razorpay({
        key: checkout.keyId,
        order_id: checkout.orderId,
        amount: checkout.amountPaise,
        currency: checkout.currency,
        name: storeName(),
        description: checkout.toolName,
        prefill: { email: checkout.email },
        // Nobody pays for what is no longer held.
        timeout: checkout.holdSeconds,
        handler: (answer) =>
          events.paid({
            orderId: answer.razorpay_order_id,
            paymentId: answer.razorpay_payment_id,
            signature: answer.razorpay_signature,
          }),
        modal: { ondismiss: () => events.dismissed() },
      });
      instance.on("payment.failed", () => events.declined());
      instance.open();
    },
  };
}

function loadScript(address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    const fail = (why: string) => {
      script.remove();
      reject(new Error(`the payment script ${why}`));
    };
    const patience = setTimeout(() => fail("took too long"), LOAD_PATIENCE_MS);
    script.src = address;
    script.async = true;
    script.addEventListener("load", () => {
      clearTimeout(patience);
      // What blocks scripts may put an empty one in its place.
      if (window.Razorpay) resolve();
      else fail("brought no checkout");
    });
    script.addEventListener("error", () => {
      clearTimeout(patience);
      fail("could not be loaded");
    });
    document.head.append(script);
  });
}
