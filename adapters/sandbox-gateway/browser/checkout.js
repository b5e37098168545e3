// Opens the test checkout in a page of the shop. It has the interface of Razorpay's script, so that the page works with
// either of them.
(() => {
  const HERE = new URL(document.currentScript.src);
  const SLOW_MS = 6000;

  const style = (element, rules) => Object.assign(element.style, rules);

  class TestCheckout {
    #options;
    #listeners = new Map();
    #dialog = null;
    #frame = null;
    #slow = 0;

    constructor(options) {
      if (!options?.key || !options.order_id) throw new Error("The checkout needs a key and an order_id.");
      this.#options = options;
    }

    on(event, listener) {
      this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener]);
    }

    open() {
      if (this.#dialog) return;
      // A native modal dialog is above the dialogs of the shop and keeps the focus.
      const dialog = document.createElement("dialog");
      dialog.setAttribute("aria-label", "Test payment");
      style(dialog, {
        position: "fixed",
        inset: "0",
        width: "100vw",
        height: "100dvh",
        maxWidth: "none",
        maxHeight: "none",
        margin: "0",
        padding: "0",
        border: "0",
        overflow: "hidden",
        background: "Canvas",
        color: "CanvasText",
        colorScheme: "light dark",
      });
      dialog.append(this.#makeWaiting(), this.#makeFrame());
      dialog.addEventListener("cancel", (event) => {
        event.preventDefault();
        this.#dismiss();
      });
      dialog.addEventListener("keydown", (event) => {
        if (event.key !== "Escape") return;
        // A dialog of the shop below this one would otherwise close as well.
        event.preventDefault();
        event.stopPropagation();
        this.#dismiss();
      });
      window.addEventListener("message", this.#onMessage);
      document.body.append(dialog);
      this.#dialog = dialog;
      dialog.showModal();
      this.#frame.focus();
    }

    close() {
      if (!this.#dialog) return;
      clearTimeout(this.#slow);
      window.removeEventListener("message", this.#onMessage);
      this.#dialog.close();
      this.#dialog.remove();
      this.#dialog = null;
      this.#frame = null;
    }

    #makeFrame() {
      const address = new URL("checkout", HERE);
      address.searchParams.set("order_id", this.#options.order_id);
      address.searchParams.set("key", this.#options.key);
      const frame = document.createElement("iframe");
      frame.title = "Test payment";
      frame.src = address.href;
      style(frame, { position: "absolute", inset: "0", width: "100%", height: "100%", border: "0" });
      frame.addEventListener("load", () => frame.focus());
      this.#frame = frame;
      return frame;
    }

    /** Shown until the page in the frame has loaded. Offers a Cancel button when that takes long. */
    #makeWaiting() {
      const waiting = document.createElement("div");
      style(waiting, {
        position: "absolute",
        inset: "0",
        display: "grid",
        placeContent: "center",
        justifyItems: "center",
        gap: "16px",
        font: "15px/1.5 system-ui, sans-serif",
      });
      const words = document.createElement("p");
      words.textContent = "Opening the test payment…";
      waiting.append(words);
      this.#slow = setTimeout(() => {
        const cancel = document.createElement("button");
        cancel.type = "button";
        cancel.textContent = "Cancel";
        style(cancel, { minHeight: "44px", padding: "0 20px", font: "inherit" });
        cancel.addEventListener("click", () => this.#dismiss());
        words.textContent = "The test payment does not open. You were not charged.";
        waiting.append(cancel);
        style(this.#frame, { visibility: "hidden" });
      }, SLOW_MS);
      return waiting;
    }

    #onMessage = (event) => {
      if (event.origin !== HERE.origin || event.source !== this.#frame?.contentWindow) return;
      const { from, type, answer } = event.data ?? {};
      if (from !== "sandbox-gateway") return;
      if (type === "ready") {
        clearTimeout(this.#slow);
        style(this.#frame, { visibility: "visible" });
        this.#frame.focus();
      }
      if (type === "dismissed") this.#dismiss();
      if (type === "failed") {
        for (const listener of this.#listeners.get("payment.failed") ?? []) listener(answer);
      }
      if (type === "paid" && answer?.razorpay_order_id === this.#options.order_id) {
        this.close();
        this.#options.handler?.(answer);
      }
    };

    #dismiss() {
      if (!this.#dialog) return;
      this.close();
      this.#options.modal?.ondismiss?.();
    }
  }

  window.Razorpay = TestCheckout;
})();
