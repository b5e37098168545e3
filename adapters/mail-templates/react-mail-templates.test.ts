import { toPlainText } from "@react-email/render";
import { describe, expect, test } from "vitest";
import { OTHER_LANGUAGES } from "#core/catalog/translations.ts";
import type { MailKind, MailKinds, ReceiptFacts, ShopFacts } from "#core/mail/mail-templates.ts";
import { refundMessage } from "#core/refund-reasons.ts";
import { NO_END } from "#core/time.ts";
import type { Language } from "#languages/languages.ts";
import { readTexts } from "#tests/fixtures/language-texts.ts";
import { reactMailTemplates } from "./react-mail-templates.tsx";

const SHOP: ShopFacts = {
  name: "Sweet Shop",
  origin: "https://shop.example",
  supportPhones: [{ label: "Support chat 1", number: "+91 98765 43210" }],
  contactUrl: "https://shop.example/contact",
};

const render = <Kind extends MailKind>(kind: Kind, facts: MailKinds[Kind], shop = SHOP) =>
  reactMailTemplates.render(kind, facts, { shop, language: "en" });

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
  buyerFeePaise: 0,
  offerPaise: 0,
  paidAt: "23/11/26, 10:00",
  until: "23/12/26, 10:00",
  testMode: false,
  toolUrl: "https://shop.example/tools/canva",
};

type OwnerMailKind =
  | "code-reported"
  | "credential-missing"
  | "test-mail"
  | "codes-used-up"
  | "backup-overdue"
  | "dispute-opened";
type BuyerMailKind = Exclude<MailKind, OwnerMailKind>;

const REASONS = [refundMessage("out-of-stock"), refundMessage("coupon-used-up")];

/** The text on one line. */
const flat = (text: string) => text.replace(/\s+/g, " ");

test("a receipt and a pass that was given say that a pass for a lifetime has no end", async () => {
  const { text } = await render("purchase-receipt", { ...RECEIPT, until: NO_END });
  expect(flat(text)).toContain("Your pass for Canva <Pro> has no end.");
  expect(flat(text)).toContain("Access: No end");
  const given = { toolName: "Canva", until: NO_END, toolUrl: RECEIPT.toolUrl };
  expect(flat((await render("pass-assigned", given)).text)).toContain("a pass for Canva. It has no end.");
  expect(flat(text)).not.toContain("until");
});

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
  const payment = {
    toolName: "Canva",
    amountPaise: 14_900,
    reason: refundMessage("out-of-stock"),
    testMode: false,
  };
  const mails = await Promise.all([
    render("purchase-receipt", RECEIPT),
    render("pass-assigned", pass),
    render("giveaway-won", pass),
    render("payment-refunded", payment),
    render("payment-not-taken", payment),
    render("account-taken-over", { email: "asha@example.com" }),
    render("google-linked", { email: "asha@example.com" }),
    render("account-deleted", {
      openRefunds: [{ toolName: "Canva", amountPaise: 14_900, byHand: false }],
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
  const openRefund = { toolName: "Canva", amountPaise: 14_900, byHand: false };
  const one = await render("account-deleted", { openRefunds: [openRefund], openRefundsPaise: 14_900 });
  expect(flat(one.text)).toContain("your refund of ₹149 for Canva");
  expect(flat(one.text)).toContain("goes back to where you paid from");
  const byHand = [{ ...openRefund, byHand: true }];
  const direct = await render("account-deleted", { openRefunds: byHand, openRefundsPaise: 14_900 });
  expect(flat(direct.text)).toContain("the shop gives the money back to you itself");
  expect(flat(direct.text)).not.toContain("where you paid from");
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
    reason: refundMessage("out-of-stock"),
    testMode: false,
  });
  expect(mail.subject).toBe("Refund started: ₹149 for Canva <Pro>");
  expect(mail.html).toContain("Canva &lt;Pro&gt;");
  expect(mail.text).toContain("The tool was sold out when the payment arrived.");
  expect(mail.text).toContain("₹149");
  const held = await render("payment-refunded", {
    toolName: "Canva",
    amountPaise: 14900,
    reason: refundMessage("duplicate-payment"),
    testMode: false,
    isHeld: true,
  });
  expect(held.subject).toBe("Refund on hold: ₹149 for Canva");
  expect(flat(held.text)).toContain("the refund waits until the bank has decided");
  expect(flat(held.text)).not.toMatch(/started|5 to 7 days/);
});

test.each([
  "payment-refunded",
  "payment-not-taken",
] as const)("a mail %s says of a test payment, and only of that, that no money was charged", async (kind) => {
  const facts = { toolName: "Canva", amountPaise: 14_900, reason: refundMessage("out-of-stock") };
  const notice = "Test purchase. No money was charged.";
  expect((await render(kind, { ...facts, testMode: true })).text).toContain(notice);
  expect((await render(kind, { ...facts, testMode: false })).text).not.toContain(notice);
});

test("a mail about an uncaptured payment says so and promises no refund by the shop", async () => {
  const mail = await render("payment-not-taken", {
    toolName: "Canva <Pro>",
    amountPaise: 14900,
    reason: "The tool was sold out when the payment arrived.",
    testMode: false,
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

describe("in another language", () => {
  /** No text of these facts has Latin letters, so that what is left in English is found. */
  const SHOP_IN_HINDI: ShopFacts = {
    ...SHOP,
    name: "मीठी दुकान",
    origin: "https://1.2.3.4",
    contactUrl: "https://1.2.3.4/5",
  };
  const toolUrl = "https://1.2.3.4/6";
  const pass = { toolName: "कैनवा", until: "23/12/26, 10:00", toolUrl };
  const receipt: ReceiptFacts = {
    ...RECEIPT,
    ...pass,
    orderNumber: "1234",
    optionLabel: "छोटा",
    couponCode: "दिवाली",
  };
  const refund = { toolName: "कैनवा", amountPaise: 14_900, byHand: false };
  const account = { email: "1@2.3" };
  const RENDERED: { [Kind in BuyerMailKind]: readonly MailKinds[Kind][] } = {
    "password-reset": [{ resetUrl: toolUrl, validMinutes: 60 }],
    "password-changed": [account],
    "account-taken-over": [account],
    "google-linked": [account],
    "account-deleted": [
      { openRefunds: [], openRefundsPaise: 0 },
      { openRefunds: [refund, { ...refund, byHand: true }], openRefundsPaise: 44_700 },
    ],
    "purchase-receipt": [
      receipt,
      { ...receipt, from: "22/12/26, 10:00", testMode: true, couponCode: null, validityDays: 1 },
      { ...receipt, until: null },
      { ...receipt, until: NO_END },
      { ...receipt, optionLabel: "30 Days", discountPaise: 0, couponCode: null },
    ],
    "pass-assigned": [pass, { ...pass, until: null }, { ...pass, until: NO_END }],
    "giveaway-won": [pass],
    "pass-ending": [
      {
        passes: [
          { toolName: "कैनवा", until: "22/12/26, 10:00", renewUrl: toolUrl },
          { toolName: "कैनवा", until: "23/12/26, 10:00", renewUrl: null },
        ],
        stopUrl: toolUrl,
      },
      { passes: [{ toolName: "कैनवा", until: "22/12/26, 10:00", renewUrl: null }], stopUrl: toolUrl },
    ],
    "back-in-stock": [{ toolName: "कैनवा", shopUrl: toolUrl }],
    "payment-refunded": [
      ...REASONS.map((reason) => ({ ...refund, reason, testMode: true })),
      { ...refund, reason: refundMessage("out-of-stock"), testMode: true, isHeld: true },
    ],
    "payment-not-taken": REASONS.map((reason) => ({ ...refund, reason, testMode: true })),
    "payment-charged-back": [{ ...refund, testMode: true }],
  };
  const shops: [string, Partial<ShopFacts>][] = [
    [
      "chats and a contact page",
      {
        supportPhones: [
          { label: "1", number: "+91 1" },
          { label: "2", number: "+91 2" },
        ],
      },
    ],
    ["a contact page only", { supportPhones: [] }],
    ["chats only", { contactUrl: null }],
    ["neither", { supportPhones: [], contactUrl: null }],
  ];

  const kinds = Object.keys(RENDERED) as BuyerMailKind[];
  test.each(
    OTHER_LANGUAGES.flatMap((language) => kinds.map((kind) => [kind, language] as const)),
  )("the mail '%s' in '%s' has no English left and all its values", async (kind, language) => {
    for (const [, ways] of shops) await expectTranslated(language, kind, { ...SHOP_IN_HINDI, ...ways });
  });

  async function expectTranslated<Kind extends BuyerMailKind>(
    language: Language,
    kind: Kind,
    shop: ShopFacts,
  ): Promise<void> {
    const reasons = Object.entries(readTexts(language, "mails")).flatMap(([english, own]) =>
      english.startsWith("You’re getting this email because")
        ? [own.replace("{shop}", shop.name).replace("{tool}", "कैनवा")]
        : [],
    );
    for (const facts of RENDERED[kind]) {
      const { subject, html, text } = await reactMailTemplates.render(kind, facts, { shop, language });
      expect(html).toContain(`<html dir="ltr" lang="${language}">`);
      const preview = toPlainText(html, {
        selectors: [{ selector: "[data-skip-in-text]", format: "block" }],
      });
      expect(preview.length).toBeGreaterThan(text.length);
      for (const words of [subject, text, preview]) {
        const left = words.replaceAll(/https:\/\/\S+|WhatsApp|Google/gi, "");
        expect(left).not.toMatch(/[A-Za-z{}]/);
        expect(words).toMatch(/\p{Letter}/u);
      }
      expect(reasons.filter((reason) => flat(text).includes(reason))).toHaveLength(1);
      const isOver = "until" in facts && facts.until === null;
      const hasNoEnd = "until" in facts && facts.until === NO_END;
      const shown = { ...facts, ...(isOver && { toolUrl: null }), ...(hasNoEnd && { until: null }) };
      for (const [name, value] of Object.entries(shown))
        if (typeof value === "string" && !/^(?:reason|optionLabel)$/.test(name))
          expect(text).toContain(value);
    }
  }

  test("a receipt in Hindi has the facts of the purchase, beside the words of the screens", async () => {
    const about = { shop: SHOP, language: "hi" } as const;
    const { subject, text } = await reactMailTemplates.render("purchase-receipt", RECEIPT, about);
    expect(subject).toBe("Canva <Pro> की रसीद");
    for (const fact of [
      "ऑर्डर नंबर: 0199-order",
      "टूल: Canva <Pro>",
      "पास: 1 month (30 दिन)",
      "कीमत: ₹199",
      "कूपन DIWALI: −₹50",
      "चुकाई गई रकम: ₹149",
      "तारीख: 23/11/26, 10:00",
      "पास खत्म होगा: 23/12/26, 10:00",
    ])
      expect(flat(text)).toContain(fact);
  });

  test("mails in both languages that are rendered at once do not mix", async () => {
    const languages = Array.from({ length: 20 }, (_, at): Language => (at % 2 === 0 ? "hi" : "en"));
    const mails = await Promise.all(
      languages.map((language) =>
        reactMailTemplates.render("purchase-receipt", RECEIPT, { shop: SHOP, language }),
      ),
    );
    for (const [at, language] of languages.entries())
      expect(flat(mails[at]?.text ?? "")).toContain(
        language === "hi" ? "चुकाई गई रकम: ₹149" : "Amount paid: ₹149",
      );
  });

  test.each(OTHER_LANGUAGES)("what mails and screens both say in '%s' has the same words", (language) => {
    const screens = readTexts(language, "screens");
    const same = Object.entries(readTexts(language, "mails")).filter(([english]) => english in screens);
    expect(same.length).toBeGreaterThan(10);
    for (const [english, own] of same) expect(own).toBe(screens[english]);
  });
});
