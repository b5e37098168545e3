/** What this script uses of the options that a page passes to the gateway's script. */
interface Options {
  key: string;
  order_id: string;
  handler?(result: PaidResult): void;
  modal?: { ondismiss?(): void };
}

interface PaidResult {
  razorpay_payment_id: string;
  razorpay_order_id: string;
  razorpay_signature: string;
}

type Message =
  | { type: "dismissed" }
  | { type: "failed"; result: unknown }
  | { type: "paid"; result: PaidResult };

/**
 * The gateway's script in the buyer's browser, with the interface of the real one: it opens a frame over the page and reports
 * what the buyer decides there. The browser gets the text of this function: it uses nothing of its module but types.
 */
export function defineRazorpay(): void {
  const script = document.currentScript;
  if (!(script instanceof HTMLScriptElement)) throw new Error("The checkout is not in a script of its own.");
  const scriptUrl = new URL(script.src);
  const api = scriptUrl.host === "checkout.razorpay.com" ? "https://api.razorpay.com" : scriptUrl.origin;

  class Razorpay {
    #options: Options;
    #listeners = new Map<string, ((result: unknown) => void)[]>();
    #overlay: HTMLElement | null = null;
    #frame: HTMLIFrameElement | null = null;

    constructor(options: Options | undefined) {
      if (!options?.key) throw new Error("No key passed");
      this.#options = options;
    }

    on(event: string, listener: (result: unknown) => void) {
      this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener]);
      return this;
    }

    open() {
      if (this.#overlay) return this;
      const { key, order_id } = this.#options;
      const address = new URL("/v1/checkout/public", api);
      address.searchParams.set("key_id", key);
      address.searchParams.set("order_id", order_id);
      const overlay = document.createElement("div");
      overlay.className = "razorpay-container";
      Object.assign(overlay.style, {
        position: "fixed",
        inset: "0",
        zIndex: "2147483647",
        background: "rgb(0 0 0 / 60%)",
      });
      const frame = document.createElement("iframe");
      frame.className = "razorpay-checkout-frame";
      frame.title = "Razorpay Checkout";
      frame.src = address.href;
      Object.assign(frame.style, { width: "100%", height: "100%", border: "0" });
      overlay.append(frame);
      window.addEventListener("message", this.#onMessage);
      document.body.append(overlay);
      this.#overlay = overlay;
      this.#frame = frame;
      return this;
    }

    close() {
      if (!this.#overlay) return;
      this.#remove(this.#overlay);
      this.#options.modal?.ondismiss?.();
    }

    #remove(overlay: HTMLElement) {
      window.removeEventListener("message", this.#onMessage);
      overlay.remove();
      this.#overlay = null;
    }

    // Only the page in the frame passes the first check, so the message has its type.
    #onMessage = ({ origin, source, data }: MessageEvent<Message>) => {
      if (origin !== api || source !== this.#frame?.contentWindow) return;
      if (data.type === "dismissed") this.close();
      if (data.type === "failed")
        for (const listener of this.#listeners.get("payment.failed") ?? []) listener(data.result);
      if (data.type !== "paid" || !this.#overlay) return;
      this.#remove(this.#overlay);
      this.#options.handler?.(data.result);
    };
  }

  window.Razorpay = Razorpay;
}
