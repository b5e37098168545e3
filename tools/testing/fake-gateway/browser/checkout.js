// The gateway's script in the buyer's browser, with the interface of the real one: it opens a frame over the page and
// reports what the buyer decides there.
(() => {
  const scriptUrl = new URL(document.currentScript.src);
  const api = scriptUrl.host === "checkout.razorpay.com" ? "https://api.razorpay.com" : scriptUrl.origin;

  class Razorpay {
    #options;
    #listeners = new Map();
    #overlay = null;
    #frame = null;

    constructor(options) {
      if (!options?.key) throw new Error("No key passed");
      this.#options = options;
    }

    on(event, listener) {
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
      window.removeEventListener("message", this.#onMessage);
      this.#overlay.remove();
      this.#overlay = null;
      this.#options.modal?.ondismiss?.();
    }

    #onMessage = (event) => {
      if (event.origin !== api || event.source !== this.#frame.contentWindow) return;
      const { type, result } = event.data;
      if (type === "dismissed") this.close();
      if (type === "failed")
        for (const listener of this.#listeners.get("payment.failed") ?? []) listener(result);
      if (type !== "paid") return;
      window.removeEventListener("message", this.#onMessage);
      this.#overlay.remove();
      this.#overlay = null;
      this.#options.handler?.(result);
    };
  }

  window.Razorpay = Razorpay;
})();
