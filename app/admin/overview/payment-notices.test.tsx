import { renderToStaticMarkup } from "react-dom/server";
import { MemoryRouter } from "react-router";
import { expect, test } from "vitest";
import { PaymentNotices } from "./payment-notices.tsx";

type Notices = Parameters<typeof PaymentNotices>[0];

const noNotices: Notices = {
  failedRefunds: { refunds: [], total: 0 },
  disputes: { disputes: [], total: 0 },
  overdueRefunds: { number: 0, paise: 0 },
  unaccounted: { number: 0, paymentIds: [] },
  soldOut: [],
};

/** The text of each notice, with the role that says how urgent it is. */
function renderNotices(notices: Partial<Notices>): [role: string, text: string][] {
  const html = renderToStaticMarkup(
    <MemoryRouter>
      <PaymentNotices {...noNotices} {...notices} />
    </MemoryRouter>,
  );
  return [...html.matchAll(/<div role="(\w+)"[^>]*>(.*?)<\/div>/g)].map(([, role = "", inner = ""]) => [
    role,
    inner
      .replaceAll("</li>", " ")
      .replaceAll(/<[^>]+>/g, "")
      .trim(),
  ]);
}

const refund = {
  id: "1",
  paymentId: "pay_1",
  toolName: "Canva",
  email: "asha@example.com",
  amountPaise: 14_900,
};

test("a shop without problems has no payment notice", () => {
  expect(renderNotices({})).toEqual([]);
});

test("a failed refund is shown with its buyer, amount and payment", () => {
  expect(renderNotices({ failedRefunds: { refunds: [refund], total: 1 } })).toEqual([
    [
      "alert",
      "A refund of ₹149 to asha@example.com failed at the payment provider: pay it back by hand. Canva, payment pay_1",
    ],
  ]);
});

test("several failed refunds share one notice, which counts those it does not list", () => {
  const [notice, ...others] = renderNotices({
    failedRefunds: { refunds: [refund, { ...refund, id: "2", email: null, amountPaise: 4_950 }], total: 3 },
  });
  expect(others).toEqual([]);
  expect(notice?.[1]).toContain("A refund of ₹149 to asha@example.com");
  expect(notice?.[1]).toContain("A refund of ₹49.50 to a deleted account");
  expect(notice?.[1]).toMatch(/1 more refund failed\.$/);
});

test("each dispute is shown with what the owner does, and urgent ones as an alert", () => {
  const dispute = {
    id: "1",
    gatewayPaymentId: "pay_1",
    amountPaise: 14_900,
    deductedPaise: null,
    status: "under_review" as const,
    respondBy: null,
    reason: "Nothing was delivered.",
    purchase: { id: "0199-a", toolName: "Canva", email: "asha@example.com" },
    mustRefund: false,
    isLostTwice: false,
  };
  const shown = (changes: Partial<typeof dispute> | object) =>
    renderNotices({ disputes: { disputes: [{ ...dispute, ...changes }], total: 1 } })[0];
  expect(shown({})).toEqual([
    "status",
    "A dispute of ₹149 is with the bank.A refund waits until the bank has decided. Reason: Nothing was delivered.Canva, asha@example.com, payment pay_1",
  ]);
  expect(shown({ status: "open" })?.[0]).toBe("alert");
  expect(shown({ status: "open", mustRefund: true })?.[1]).toContain("is reported as fraud: refund it.");
  expect(shown({ status: "lost", deductedPaise: 14_900 })?.[1]).toContain(
    "The payment provider has taken ₹149.",
  );
  const twice = shown({ status: "lost", isLostTwice: true });
  expect(twice?.[0]).toBe("alert");
  expect(twice?.[1]).toContain("the buyer may have got the money twice");
  expect(shown({ purchase: null })?.[1]).toContain("The shop does not know this payment: pay_1");
});

test.each([
  [
    { number: 1, paise: 14_900 },
    "A refund of ₹149 has been waiting for more than a day. The shop keeps trying. Often the balance at the payment provider is too low to pay it back.",
  ],
  [
    { number: 3, paise: 14_990_000 },
    "3 refunds of ₹1,49,900 in all have been waiting for more than a day. The shop keeps trying. Often the balance at the payment provider is too low to pay them back.",
  ],
])("refunds that wait for more than a day are counted and summed up: %o", (overdueRefunds, text) => {
  expect(renderNotices({ overdueRefunds })).toEqual([["status", text]]);
});

test.each([
  [
    { number: 1, paymentIds: ["pay_1"] },
    "1 payment is not accounted for. A buyer has paid and may have neither a pass nor the money back. Look it up at the payment provider and pay back what is owed: pay_1.",
  ],
  [
    { number: 4, paymentIds: ["pay_1", "pay_2"] },
    "4 payments are not accounted for. A buyer has paid and may have neither a pass nor the money back. Look them up at the payment provider and pay back what is owed: pay_1, pay_2 and 2 more. The shop’s log lists all of them once a minute, in lines that contain “discrepancy”.",
  ],
])("payments that are not accounted for are listed: %o", (unaccounted, text) => {
  expect(renderNotices({ unaccounted })).toEqual([["alert", text]]);
});

test.each([
  [
    [{ toolName: "Canva", number: 1, paise: 14_900 }],
    "In the last 7 days a payment of ₹149 arrived after the tool had sold out and is being refunded: Canva.",
  ],
  [
    [
      { toolName: "Canva", number: 2, paise: 29_800 },
      { toolName: "Netflix", number: 1, paise: 9_900 },
    ],
    "In the last 7 days 3 payments of ₹397 in all arrived after the tool had sold out and are being refunded: Canva (2), Netflix.",
  ],
])("payments that arrived when the tool was sold out are listed by tool: %o", (soldOut, text) => {
  expect(renderNotices({ soldOut })).toEqual([["status", text]]);
});

test("payments that are not accounted for are the first payment notice", () => {
  const notices = renderNotices({
    soldOut: [{ toolName: "Canva", number: 1, paise: 1 }],
    unaccounted: { number: 1, paymentIds: ["pay_1"] },
  });
  expect(notices.map(([, text]) => text.slice(0, 20))).toEqual([
    "1 payment is not acc",
    "In the last 7 days a",
  ]);
});
