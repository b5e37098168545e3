// The page of the test checkout. Sends the buyer's choice to the gateway and the result to the page that opened it.
const ticket = document.querySelector(".ticket");
const statusLine = document.querySelector("[role=status]");
const buttons = [...document.querySelectorAll("[data-choice]")];
const orderId = ticket.dataset.order;
const framed = window.parent !== window;

function notifyShop(type, answer) {
  // Only a page of the same origin may frame this page and receive its messages.
  if (framed) window.parent.postMessage({ from: "sandbox-gateway", type, answer }, window.location.origin);
}

function showStatus(words, mood) {
  statusLine.textContent = words;
  ticket.dataset.mood = mood;
}

function setBusy(isBusy) {
  // Not `disabled`: that would remove the focus of a keyboard user.
  for (const button of buttons) button.setAttribute("aria-disabled", String(isBusy));
}

const isBusyNow = () => buttons[0].getAttribute("aria-disabled") === "true";

async function sendChoice(choice) {
  setBusy(true);
  showStatus(choice === "pay" ? "Paying…" : "Asking the bank…", "waiting");
  try {
    const response = await fetch(`checkout/${choice}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ order_id: orderId }),
    });
    const answer = await response.json();
    if (answer.razorpay_payment_id) return showPaid(answer);
    if (!response.ok) throw new Error(answer.error?.description);
    showStatus("The bank declined the payment. You were not charged.", "bad");
    notifyShop("failed", answer);
  } catch {
    showStatus("The test gateway did not answer. Nothing was lost: try again.", "bad");
  }
  setBusy(false);
}

function showPaid(answer) {
  notifyShop("paid", answer);
  document.querySelector(".choices").hidden = true;
  showStatus(framed ? "Paid." : "Paid. You can go back to the shop.", "good");
  document.querySelector("h1").focus();
}

function dismiss() {
  notifyShop("dismissed");
  if (!framed) showStatus("You were not charged. You can go back to the shop.", "");
}

for (const button of buttons) {
  button.addEventListener("click", () => {
    if (isBusyNow()) return;
    if (button.dataset.choice === "close") dismiss();
    else void sendChoice(button.dataset.choice);
  });
}
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !isBusyNow()) dismiss();
});

notifyShop("ready");
document.querySelector("h1").focus();
