// The page of the test checkout: asks the gateway for what the buyer decided and tells the page that opened it.
const ticket = document.querySelector(".ticket");
const says = document.querySelector("[role=status]");
const buttons = [...document.querySelectorAll("[data-choice]")];
const orderId = ticket.dataset.order;
const framed = window.parent !== window;

function tell(type, answer) {
  // Only a page of this same origin may frame this one, and only it may hear.
  if (framed) window.parent.postMessage({ from: "sandbox-gateway", type, answer }, window.location.origin);
}

function say(words, mood) {
  says.textContent = words;
  ticket.dataset.mood = mood;
}

function rest(resting) {
  // Not `disabled`: that would take the focus away from whoever uses a keyboard.
  for (const button of buttons) button.setAttribute("aria-disabled", String(resting));
}

const isResting = () => buttons[0].getAttribute("aria-disabled") === "true";

async function decide(choice) {
  rest(true);
  say(choice === "pay" ? "Paying…" : "Asking the bank…", "waiting");
  try {
    const response = await fetch(`checkout/${choice}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ order_id: orderId }),
    });
    const answer = await response.json();
    if (answer.razorpay_payment_id) return showPaid(answer);
    if (!response.ok) throw new Error(answer.error?.description);
    say("The bank said no. You were not charged.", "bad");
    tell("failed", answer);
  } catch {
    say("The test gateway did not answer. Nothing was lost: try again.", "bad");
  }
  rest(false);
}

function showPaid(answer) {
  tell("paid", answer);
  document.querySelector(".choices").hidden = true;
  say(framed ? "Paid." : "Paid. You can go back to the shop.", "good");
  document.querySelector("h1").focus();
}

function leave() {
  tell("dismissed");
  if (!framed) say("You were not charged. You can go back to the shop.", "");
}

for (const button of buttons) {
  button.addEventListener("click", () => {
    if (isResting()) return;
    if (button.dataset.choice === "close") leave();
    else void decide(button.dataset.choice);
  });
}
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !isResting()) leave();
});

tell("ready");
document.querySelector("h1").focus();
