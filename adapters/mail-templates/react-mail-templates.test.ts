import { expect, test } from "vitest";
import type { MailKind, MailKinds, ReceiptFacts, ShopFacts } from "#core/mail/mail-templates.ts";
import { reactMailTemplates } from "./react-mail-templates.tsx";

const SHOP: ShopFacts = {
  name: "Sweet Shop",
  origin: "https://shop.example",
  supportPhones: [{ label: "Support chat 1", number: "+91 98765 43210" }],
  contactUrl: "https://shop.example/contact",
};

const render = <Kind extends MailKind>(kind: Kind, facts: MailKinds[Kind], shop = SHOP) =>
  reactMailTemplates.render(kind, facts, shop);

const RECEIPT: ReceiptFacts = {
  orderNumber: "0199-order",
  from: null,
  toolName: "Canva <Pro>",
  optionLabel: "1 month",
  validityDays: 30,
  listPricePaise: 19_900,
  discountPaise: 5_000,
  couponCode: "DIWALI",
  amountPaise: 14_900,
  paidAt: "23/11/26, 10:00",
  until: "23/12/26, 10:00",
  testMode: false,
  toolUrl: "https://shop.example/tools/canva",
};

/** The text on one line. */
const flat = (text: string) => text.replace(/\s+/g, " ");

test("a receipt says in HTML and text what was bought, what was paid and until when it works, and opens the tool", async () => {
  const { subject, html, text } = await render("purchase-receipt", RECEIPT);
  expect(subject).toBe("Your receipt for Canva <Pro>");
  expect(html).toContain(`href="${RECEIPT.toolUrl}"`);
  expect(text).toContain(RECEIPT.toolUrl);
  for (const fact of ["0199-order", "1 month (30 days)", "₹199", "Coupon DIWALI", "−₹50", "₹149"]) {
    expect(html).toContain(fact);
    expect(text).toContain(fact);
  }
  expect(flat(text)).toContain("Amount paid: ₹149");
  expect(flat(text)).toContain("Date: 23/11/26, 10:00");
  expect(flat(text)).toContain("Access until: 23/12/26, 10:00");
  expect(text).not.toContain("Test purchase");
});

test("a receipt without a discount names no price beside what was paid", async () => {
  const facts = { ...RECEIPT, discountPaise: 0, couponCode: null, listPricePaise: 14_900, optionLabel: null };
  const { text } = await render("purchase-receipt", facts);
  expect(flat(text)).toContain("Pass: 30 days");
  expect(text).not.toMatch(/Price|Coupon|Discount/);
  const named = await render("purchase-receipt", { ...facts, optionLabel: "30 Days" });
  expect(flat(named.text)).toContain("Pass: 30 days Amount");
});

test("a receipt of a test purchase says so in its subject and text", async () => {
  const { subject, html, text } = await render("purchase-receipt", { ...RECEIPT, testMode: true });
  expect(subject).toBe("Test purchase: receipt for Canva <Pro>");
  expect(html).toContain("Test purchase.");
  expect(text).toContain("No money was charged.");
});

test("a receipt of a pass that has ended opens nothing and promises no access", async () => {
  const { html, text } = await render("purchase-receipt", { ...RECEIPT, until: null });
  expect(text).toContain("has since ended");
  expect(html).not.toContain(RECEIPT.toolUrl);
  expect(text).not.toContain("Access until");
});

test("every mail names the shop, why the person gets it, and how to reach the shop", async () => {
  const pass = { toolName: "Canva", until: "23/12/26, 10:00", toolUrl: RECEIPT.toolUrl };
  const payment = { toolName: "Canva", amountPaise: 14_900, reason: "The tool was sold out." };
  const mails = await Promise.all([
    render("purchase-receipt", RECEIPT),
    render("pass-assigned", pass),
    render("giveaway-won", pass),
    render("payment-refunded", payment),
    render("payment-not-taken", payment),
    render("account-taken-over", { email: "asha@example.com" }),
    render("google-linked", { email: "asha@example.com" }),
    render("account-deleted", {
      openRefunds: [{ toolName: "Canva", amountPaise: 14_900 }],
      openRefundsPaise: 14_900,
    }),
    render("code-reported", { toolName: "Canva", serverName: "Server 1", adminUrl: SHOP.origin }),
    render("credential-missing", { toolName: "Canva", isAmbiguous: true, adminUrl: SHOP.origin }),
    render("password-reset", { resetUrl: "https://shop.example/reset-password?token=x", validMinutes: 60 }),
  ]);
  for (const { subject, html, text } of mails) {
    expect(flat(text)).toMatch(/You’re getting this email because .* at Sweet Shop\./);
    expect(html).toContain("https://wa.me/919876543210");
    expect(html).toContain("https://shop.example/contact");
    for (const words of [subject, text]) expect(words).not.toMatch(/['"]|need not|on its way/);
    expect(html).not.toMatch(/<(script|img|link)\b/);
  }
});

test("a mail of a shop without support numbers and contact page names the address of the shop", async () => {
  const shop = { ...SHOP, supportPhones: [], contactUrl: null };
  const { text } = await render("account-taken-over", { email: "asha@example.com" }, shop);
  expect(flat(text)).toContain("You can reach us at shop.example");
});

test("the last mail names the sum of all refunds when there are several, also of those that it does not list", async () => {
  const openRefund = { toolName: "Canva", amountPaise: 14_900 };
  const one = await render("account-deleted", { openRefunds: [openRefund], openRefundsPaise: 14_900 });
  expect(flat(one.text)).toContain("your refund of ₹149 for Canva");
  expect(one.text).not.toContain("In total");
  const openRefunds = [openRefund, openRefund];
  const many = await render("account-deleted", { openRefunds, openRefundsPaise: 44_700 });
  expect(flat(many.text)).toContain("In total, ₹447 will be refunded to you.");
});

test("a reset mail contains its link in HTML and text and says how long it works", async () => {
  const resetUrl = "https://shop.example/reset-password?token=abc-_123";
  const mail = await render("password-reset", { resetUrl, validMinutes: 60 });
  expect(mail.subject).toBe("Set a new password");
  expect(mail.html).toContain(`href="${resetUrl}"`);
  expect(/https?:\/\/\S+/.exec(mail.text)?.[0]).toBe(resetUrl);
  expect(mail.text).toContain("60 minutes");
  expect(mail.text).not.toContain("<");
});

test("a refund mail says that the refund has started, for which tool, how much and why", async () => {
  const mail = await render("payment-refunded", {
    toolName: "Canva <Pro>",
    amountPaise: 14900,
    reason: "The tool was sold out.",
  });
  expect(mail.subject).toBe("Refund started: ₹149 for Canva <Pro>");
  expect(mail.html).toContain("Canva &lt;Pro&gt;");
  expect(mail.text).toContain("The tool was sold out.");
  expect(mail.text).toContain("₹149");
});

test("a mail about an uncaptured payment says so and promises no refund by the shop", async () => {
  const mail = await render("payment-not-taken", {
    toolName: "Canva <Pro>",
    amountPaise: 14900,
    reason: "The tool was sold out when the payment arrived.",
  });
  expect(mail.subject).toBe("We didn’t take your payment of ₹149 for Canva <Pro>");
  expect(mail.html).toContain("Canva &lt;Pro&gt;");
  expect(flat(mail.text)).toContain("we didn’t take it. The tool was sold out when the payment arrived.");
  expect(mail.text).toContain("your bank returns it automatically");
  expect(mail.text).not.toContain("refund");
});

test("the mails about a free pass name the tool and the end of the pass, and link to the tool", async () => {
  const facts = { toolName: "Canva <Pro>", until: "22/11/26, 12:00", toolUrl: RECEIPT.toolUrl };
  const won = await render("giveaway-won", facts);
  const assigned = await render("pass-assigned", facts);
  expect(won.subject).toBe("You won today’s giveaway: Canva <Pro>");
  expect(assigned.subject).toBe("You have access to Canva <Pro>");
  for (const { html, text } of [won, assigned]) {
    expect(html).toContain("Canva &lt;Pro&gt;");
    expect(html).toContain(`href="${facts.toolUrl}"`);
    expect(text).toContain("22/11/26, 12:00");
    expect(text).toContain(facts.toolUrl);
  }
});

test("a mail about an account that was taken over names the address and says what has ended", async () => {
  const mail = await render("account-taken-over", { email: "asha@example.com" });
  expect(mail.subject).toBe("You now sign in with Google");
  expect(mail.text).toContain("asha@example.com");
  expect(mail.text).toContain("removed the old password");
  expect(mail.text).toContain("contact us right away");
});

test("the mail about Google as a second way to sign in says that the password still works, and what to do otherwise", async () => {
  const mail = await render("google-linked", { email: "asha@example.com" });
  expect(mail.subject).toBe("You can now sign in with Google");
  expect(mail.text).toContain("asha@example.com");
  expect(flat(mail.text)).toContain("as well as with your password");
  expect(flat(mail.text)).toContain("change your password");
});
