import { currentLanguage } from "../ui/texts/texts.ts";
import type { CheckoutToPay, PaymentProof } from "./checkout-api.ts";

/** Callbacks for the events of the gateway's window. */
export interface GatewayWindowListener {
  paid(proof: PaymentProof): void;
  declined(): void;
  dismissed(): void;
}

/** The gateway's own payment window, on top of our page. */
export interface GatewayWindow {
  /** Loads the gateway's script once. @throws Error when it cannot be loaded */
  load(checkout: CheckoutToPay): Promise<void>;
  /** @throws Error when the script cannot open its window */
  open(checkout: CheckoutToPay, listener: GatewayWindowListener): void;
  /** Closes the open window; its listener hears of a dismissal. */
  close(): void;
}

interface GatewayPayment {
  razorpay_order_id: string;
  razorpay_payment_id: string;
  razorpay_signature: string;
}

interface GatewayInstance {
  open(): void;
  close(): void;
  on(event: "payment.failed", listener: () => void): void;
}

/** The part of the script's interface that is used here. Amounts in paise. */
type GatewayConstructor = new (options: {
  key: string;
  order_id: string;
  amount: number;
  currency: string;
  name: string;
  description: string;
  prefill: { email: string };
  /** The language of the window. */
  config: { display: { language: string } };
  /** Seconds until the window closes by itself. */
  timeout: number;
  handler(payment: GatewayPayment): void;
  modal: { ondismiss(): void };
}) => GatewayInstance;

declare global {
  interface Window {
    Razorpay?: GatewayConstructor;
  }
}

const LOAD_TIMEOUT_MS = 20_000;
const loadingScripts = new Map<string, Promise<void>>();

/** @param storeName the merchant name that the gateway's window shows */
export function createGatewayWindow(storeName: () => string): GatewayWindow {
  let closeOpenWindow: () => void = () => undefined;
  return {
    load: ({ scriptUrl }) => {
      const known = loadingScripts.get(scriptUrl);
      if (known) return known;
      const loading = loadScript(scriptUrl).catch((error: unknown) => {
        loadingScripts.delete(scriptUrl);
        throw error;
      });
      loadingScripts.set(scriptUrl, loading);
      return loading;
    },
    open: (checkout, listener) => {
      if (!window.Razorpay) throw new Error("the payment script defines no checkout");
      const instance = new window.Razorpay({
        key: checkout.keyId,
        order_id: checkout.gatewayOrderId,
        amount: checkout.amountPaise,
        currency: checkout.currency,
        name: storeName(),
        description: checkout.toolName,
        prefill: { email: checkout.email },
        config: { display: { language: currentLanguage() } },
        // The window closes when the hold ends.
        timeout: checkout.holdSeconds,
        handler: (payment) =>
          listener.paid({
            gatewayOrderId: payment.razorpay_order_id,
            gatewayPaymentId: payment.razorpay_payment_id,
            signature: payment.razorpay_signature,
          }),
        modal: { ondismiss: () => listener.dismissed() },
      });
      instance.on("payment.failed", () => listener.declined());
      instance.open();
      closeOpenWindow = () => {
        instance.close();
        // Not every script reports a window that the page has closed.
        listener.dismissed();
      };
    },
    close: () => closeOpenWindow(),
  };
}

function loadScript(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    const fail = (reason: string) => {
      script.remove();
      reject(new Error(`the payment script ${reason}`));
    };
    const timeout = setTimeout(() => fail("took too long"), LOAD_TIMEOUT_MS);
    script.src = url;
    script.async = true;
    script.addEventListener("load", () => {
      clearTimeout(timeout);
      // A script blocker may replace the script with an empty one.
      if (window.Razorpay) resolve();
      else fail("defines no checkout");
    });
    script.addEventListener("error", () => {
      clearTimeout(timeout);
      fail("could not be loaded");
    });
    document.head.append(script);
  });
}
