import type { CheckoutMessage, PaidAnswer } from "./checkout-message.ts";

/** What this script uses of the options that the page passes to the gateway's script. */
interface CheckoutOptions {
  key: string;
  order_id: string;
  handler?(answer: PaidAnswer): void;
  modal?: { ondismiss?(): void };
}

/**
 * The script that opens the test checkout in a page of the shop. It has the interface of Razorpay's script, so that the page
 * works with either of them. The browser gets the text of this function: it uses nothing of its module but types.
 */
export function defineTestCheckout(): void {
  const script = document.currentScript;
  if (!(script instanceof HTMLScriptElement))
    throw new Error("The test checkout is not in a script of its own.");
  const here = new URL(script.src);
  const slowMs = 6000;

  const style = (element: HTMLElement, rules: Partial<CSSStyleDeclaration>) =>
    Object.assign(element.style, rules);

  const isMessage = (data: unknown): data is CheckoutMessage =>
    typeof data === "object" && data !== null && "from" in data && data.from === "sandbox-gateway";

  class TestCheckout {
    #options: CheckoutOptions;
    #listeners = new Map<string, ((answer: unknown) => void)[]>();
    #dialog: HTMLDialogElement | null = null;
    #frame: HTMLIFrameElement | null = null;
    #slow: ReturnType<typeof setTimeout> | undefined;

    constructor(options: CheckoutOptions | undefined) {
      if (!options?.key || !options.order_id) throw new Error("The checkout needs a key and an order_id.");
      this.#options = options;
    }

    on(event: string, listener: (answer: unknown) => void) {
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
      const frame = this.#makeFrame();
      dialog.append(this.#makeWaiting(frame), frame);
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
      this.#frame = frame;
      dialog.showModal();
      frame.focus();
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
      const address = new URL("checkout", here);
      address.searchParams.set("order_id", this.#options.order_id);
      address.searchParams.set("key", this.#options.key);
      const frame = document.createElement("iframe");
      frame.title = "Test payment";
      frame.src = address.href;
      style(frame, { position: "absolute", inset: "0", width: "100%", height: "100%", border: "0" });
      frame.addEventListener("load", () => frame.focus());
      return frame;
    }

    /** Shown until the page in the frame has loaded. Offers a Cancel button when that takes long. */
    #makeWaiting(frame: HTMLIFrameElement) {
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
        style(frame, { visibility: "hidden" });
      }, slowMs);
      return waiting;
    }

    #onMessage = ({ origin, source, data }: MessageEvent<unknown>) => {
      const frame = this.#frame;
      if (!frame || origin !== here.origin || source !== frame.contentWindow || !isMessage(data)) return;
      if (data.type === "ready") {
        clearTimeout(this.#slow);
        style(frame, { visibility: "visible" });
        frame.focus();
      }
      if (data.type === "dismissed") this.#dismiss();
      if (data.type === "failed") {
        for (const listener of this.#listeners.get("payment.failed") ?? []) listener(data.answer);
      }
      if (data.type === "paid" && data.answer.razorpay_order_id === this.#options.order_id) {
        this.close();
        this.#options.handler?.(data.answer);
      }
    };

    #dismiss() {
      if (!this.#dialog) return;
      this.close();
      this.#options.modal?.ondismiss?.();
    }
  }

  window.Razorpay = TestCheckout;
}
