import type { PageTexts } from "../checkout-texts.ts";
import type { CheckoutMessage, PaidAnswer } from "./checkout-message.ts";

/**
 * The script of the page of the test checkout. Sends the buyer's choice to the gateway and the result to the page that
 * opened it. The browser gets the text of this function: it uses nothing of its module but types.
 */
export function runCheckoutPage(): void {
  const find = (selector: string) => {
    const element = document.querySelector<HTMLElement>(selector);
    if (!element) throw new Error(`The page has no ${selector}.`);
    return element;
  };
  const ticket = find(".ticket");
  const statusLine = find("[role=status]");
  const heading = find("h1");
  const buttons = [...document.querySelectorAll<HTMLElement>("[data-choice]")];
  const orderId = ticket.dataset.order;
  const texts: PageTexts = JSON.parse(ticket.dataset.texts ?? "{}");
  const framed = window.parent !== window;

  function notifyShop(message: CheckoutMessage) {
    // Only a page of the same origin may frame this page and receive its messages.
    if (framed) window.parent.postMessage({ from: "sandbox-gateway", ...message }, window.location.origin);
  }

  function showStatus(words: string, mood: "waiting" | "good" | "bad" | "") {
    statusLine.textContent = words;
    ticket.dataset.mood = mood;
  }

  function setBusy(isBusy: boolean) {
    // Not `disabled`: that would remove the focus of a keyboard user.
    for (const button of buttons) button.setAttribute("aria-disabled", String(isBusy));
  }

  const isBusyNow = () => buttons[0]?.getAttribute("aria-disabled") === "true";

  const isPaid = (answer: unknown): answer is PaidAnswer =>
    typeof answer === "object" && answer !== null && "razorpay_payment_id" in answer;

  async function sendChoice(choice: string) {
    setBusy(true);
    showStatus(choice === "fail" ? texts.asking : texts.paying, "waiting");
    try {
      const response = await fetch(`checkout/${choice}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ order_id: orderId }),
      });
      const answer: unknown = await response.json();
      if (isPaid(answer)) return showPaid(answer);
      if (!response.ok) throw new Error(`The gateway answered ${response.status}.`);
      showStatus(texts.declined, "bad");
      notifyShop({ type: "failed", answer });
    } catch {
      showStatus(texts.noAnswer, "bad");
    }
    setBusy(false);
  }

  function showPaid(answer: PaidAnswer) {
    notifyShop({ type: "paid", answer });
    for (const part of document.querySelectorAll<HTMLElement>(".choices, .more")) part.hidden = true;
    showStatus(framed ? texts.paid : texts.paidAlone, "good");
    heading.focus();
  }

  function dismiss() {
    notifyShop({ type: "dismissed" });
    if (!framed) showStatus(texts.notCharged, "");
  }

  for (const button of buttons) {
    button.addEventListener("click", () => {
      if (isBusyNow()) return;
      const { choice } = button.dataset;
      if (choice === undefined || choice === "close") dismiss();
      else void sendChoice(choice);
    });
  }
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !isBusyNow()) dismiss();
  });

  notifyShop({ type: "ready" });
  heading.focus();
}
