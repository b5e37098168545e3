import type { WindowTexts } from "../checkout-texts.ts";
import type { CheckoutMessage, PaidAnswer } from "./checkout-message.ts";

/** What this script uses of the options that the page passes to the gateway's script. */
interface CheckoutOptions {
  key: string;
  order_id: string;
  handler?(answer: PaidAnswer): void;
  modal?: { ondismiss?(): void };
  /** The language of the window; English without it. */
  config?: { display?: { language?: string } };
}

/**
 * The script that opens the test checkout in a page of the shop. It has the interface of Razorpay's script, so that the page
 * works with either of them. The browser gets the text of this function: it uses nothing of its module but types.
 *
 * @param textsOf by language, English among them
 */
export function defineTestCheckout(textsOf: Record<string, WindowTexts> & { en: WindowTexts }): void {
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
    #language: string;
    #texts: WindowTexts;
    #listeners = new Map<string, ((answer: unknown) => void)[]>();
    #dialog: HTMLDialogElement | null = null;
    #frame: HTMLIFrameElement | null = null;
    #slow: ReturnType<typeof setTimeout> | undefined;

    constructor(options: CheckoutOptions | undefined) {
      if (!options?.key || !options.order_id) throw new Error("The checkout needs a key and an order_id.");
      this.#options = options;
      this.#language = options.config?.display?.language ?? "en";
      this.#texts = textsOf[this.#language] ?? textsOf.en;
    }

    on(event: string, listener: (answer: unknown) => void) {
      this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener]);
    }

    open() {
      if (this.#dialog) return;
      // A native modal dialog is above the dialogs of the shop and keeps the focus.
      const dialog = document.createElement("dialog");
      dialog.setAttribute("aria-label", this.#texts.title);
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
      address.searchParams.set("language", this.#language);
      const frame = document.createElement("iframe");
      frame.title = this.#texts.title;
      frame.src = address.href;
      style(frame, { position: "absolute", inset: "0", width: "100%", height: "100%", border: "0" });
      frame.addEventListener("load", () => frame.focus());
      return frame;
    }

    /** Shown until the page in the frame has loaded. Offers a Cancel button when that takes long. */
    #makeWaiting(frame: HTMLIFrameElement) {
      const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
      const colours = isDark
        ? { paper: "#0f1115", card: "#171a21", ink: "#f3f1ec", line: "#272b34", field: "#6e7480" }
        : { paper: "#faf9f6", card: "#ffffff", ink: "#15171c", line: "#e6e3db", field: "#8b8f99" };
      const waiting = document.createElement("div");
      style(waiting, {
        position: "absolute",
        inset: "0",
        display: "grid",
        placeItems: "center",
        padding: "20px 16px",
        background: colours.paper,
        color: colours.ink,
        font: "15px/1.5 system-ui, sans-serif",
      });
      // The same ticket as the page in the frame has.
      const ticket = document.createElement("div");
      style(ticket, {
        boxSizing: "border-box",
        display: "grid",
        justifyItems: "center",
        gap: "16px",
        width: "100%",
        maxWidth: "384px",
        padding: "40px 24px",
        background: colours.card,
        border: `1px solid ${colours.line}`,
        borderTop: "4px solid #f4a921",
        borderRadius: "14px",
        textAlign: "center",
      });
      const ring = document.createElement("span");
      ring.ariaHidden = "true";
      style(ring, {
        width: "28px",
        height: "28px",
        border: "3px solid #f4a921",
        borderRightColor: "transparent",
        borderRadius: "50%",
      });
      if (!matchMedia("(prefers-reduced-motion: reduce)").matches)
        ring.animate({ rotate: ["0deg", "360deg"] }, { duration: 700, iterations: Infinity });
      const words = document.createElement("p");
      style(words, { margin: "0", fontWeight: "600" });
      words.textContent = this.#texts.opening;
      ticket.append(ring, words);
      waiting.append(ticket);
      this.#slow = setTimeout(() => {
        const cancel = document.createElement("button");
        cancel.type = "button";
        cancel.textContent = this.#texts.cancel;
        style(cancel, {
          minHeight: "44px",
          padding: "0 20px",
          border: `1px solid ${colours.field}`,
          borderRadius: "10px",
          background: colours.card,
          color: colours.ink,
          font: "inherit",
          fontWeight: "600",
        });
        cancel.addEventListener("click", () => this.#dismiss());
        words.textContent = this.#texts.slow;
        ring.remove();
        ticket.append(cancel);
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
