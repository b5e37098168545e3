import { and, eq, isNotNull } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { users } from "#db/tables/accounts.ts";
import { mailMessages } from "#db/tables/operations.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { brokenMailTemplates, startPaidCheckout } from "#tests/fixtures/open-test-shop.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { confirmCheckout } from "../checkout/checkout-status.server.ts";
import { startCheckout } from "../checkout/start-checkout.server.ts";
import type { Context } from "../context.ts";
import { assignTool } from "../passes/give-pass.server.ts";
import { cancelPurchase } from "../payments/cancel-purchase.server.ts";
import { reconcileOrders } from "../payments/reconcile-orders.server.ts";
import { settleOrder } from "../payments/settle-order.server.ts";
import { processWebhookEvents, receiveWebhookEvent } from "../payments/webhook-events.server.ts";
import { DAY, formatDateTime } from "../time.ts";
import type { MailTransport } from "./mail-templates.ts";
import { readMail } from "./manage-outbox.server.ts";
import { sendQueuedMail } from "./send-queued-mail.server.ts";

let shop: SandboxShop;
beforeAll(async () => {
  shop = await startSandboxShop();
  shop.sandbox.startDelivery();
});
beforeEach(() => shop.db.delete(mailMessages).where(isNotNull(mailMessages.id)));
afterAll(() => shop.close());

type Buyer = Awaited<ReturnType<SandboxShop["user"]>>;
type Mail = Parameters<MailTransport["send"]>[0];

const outboxOf = (buyer: Buyer) =>
  shop.db.select().from(mailMessages).where(eq(mailMessages.recipient, buyer.actor.email));

/** What a mail server gets. */
async function sendAll(ports: Partial<Context["ports"]> = {}): Promise<Mail[]> {
  const sent: Mail[] = [];
  const mailTransport = { send: async (mail: Mail) => void sent.push(mail) };
  const system = shop.system();
  await sendQueuedMail({ ...system, ports: { ...system.ports, mailTransport, ...ports } });
  return sent;
}

async function buy(buyer: Buyer, slug: string) {
  const { gatewayOrderId, purchaseId } = await startPaidCheckout(buyer, { slug });
  const proof = await shop.payAtGateway(gatewayOrderId);
  await settleOrder(shop.system(), { gatewayOrderId });
  return { gatewayOrderId, purchaseId, proof };
}

test("a purchase has one receipt, however often and in parallel its payment is reported", async () => {
  const tool = await shop.tool({ name: "Canva" });
  const buyer = await shop.user();
  const { gatewayOrderId, purchaseId } = await startPaidCheckout(buyer, { slug: tool.slug });
  expect(await outboxOf(buyer)).toEqual([]);
  const proof = await shop.payAtGateway(gatewayOrderId);
  const isReported = () => shop.webhooks.some(({ rawBody }) => rawBody.includes(gatewayOrderId));
  await vi.waitUntil(isReported, { timeout: 10_000, interval: 20 });
  for (const { rawBody, signature, eventId } of shop.webhooks)
    await receiveWebhookEvent(shop.system(), { rawBody, signature, eventId });
  await Promise.all([
    ...Array.from({ length: 4 }, () => confirmCheckout(buyer, proof)),
    ...Array.from({ length: 4 }, () => settleOrder(shop.system(), { gatewayOrderId })),
    processWebhookEvents(shop.system()),
    reconcileOrders(shop.system(), { all: true }),
  ]);
  expect(await outboxOf(buyer)).toMatchObject([
    { kind: "purchase-receipt", purchaseId, status: "queued", subject: "Test purchase: receipt for Canva" },
  ]);
  expect(shop.triggeredJobs).toContain("send-mail");
});

test("a receipt says what was bought, what was paid with which coupon, until when it works and how to get help", async () => {
  const tool = await shop.tool({ name: "Figma", pricePaise: 20_000 });
  const coupon = await shop.coupon(tool.id, { discountPercentage: 25 });
  const buyer = await shop.user();
  const { gatewayOrderId } = await startPaidCheckout(buyer, { slug: tool.slug, coupon: coupon.code });
  await shop.payAtGateway(gatewayOrderId);
  await settleOrder(shop.system(), { gatewayOrderId });
  const mail = (await sendAll()).find(({ to }) => to === buyer.actor.email);
  const until = formatDateTime(new Date(shop.clock.now().getTime() + 30 * DAY), "Asia/Kolkata");
  const toolUrl = `${buyer.store.origin}/tools/${tool.slug}`;
  const orderNumber = (await shop.purchasesOf(buyer))[0]?.orderNumber;
  const facts = [orderNumber, "Figma", "₹200", coupon.code, "−₹50", "₹150", until, toolUrl];
  for (const fact of [...facts, "You can reach us at"]) {
    expect(mail?.html).toContain(fact);
    expect(mail?.text).toContain(fact);
  }
  expect(mail?.senderName).toBe("Daypass");
  // What was sent is kept, so that the admin can read it.
  expect(await outboxOf(buyer)).toMatchObject([{ status: "sent", html: mail?.html, text: mail?.text }]);
});

test("the receipt of a buyer who reads Hindi is sent in Hindi, and its subject waits in English in the outbox", async () => {
  const tool = await shop.tool({ name: "Figma $&" });
  const buyer = await shop.user();
  await shop.db.update(users).set({ language: "hi" }).where(eq(users.id, buyer.actor.userId));
  await buy(buyer, tool.slug);
  const [queued] = await outboxOf(buyer);
  expect(queued).toMatchObject({ subject: "Test purchase: receipt for Figma $&", html: "" });
  const subject = "टेस्ट खरीदारी: Figma $& की रसीद";
  const read = await readMail(await shop.user("admin"), { mailId: queued?.id ?? "" });
  expect(read).toMatchObject({ subject, html: expect.stringContaining('lang="hi"') });
  const mail = (await sendAll()).find(({ to }) => to === buyer.actor.email);
  expect(mail).toMatchObject({ subject, text: expect.stringContaining("चुकाई गई रकम: ₹149") });
  expect(await outboxOf(buyer)).toMatchObject([{ status: "sent", subject, text: mail?.text }]);
});

test("a refund is told in the language of its buyer, with its reason", async () => {
  const tool = await shop.tool({ name: "Figma" });
  const buyer = await shop.user();
  await shop.db.update(users).set({ language: "hi" }).where(eq(users.id, buyer.actor.userId));
  const { gatewayOrderId, purchaseId } = await startPaidCheckout(buyer, { slug: tool.slug });
  await cancelPurchase(await shop.user("admin"), { purchaseId, reason: "Suspicious", refund: false });
  await shop.payAtGateway(gatewayOrderId);
  await settleOrder(shop.system(), { gatewayOrderId });
  const [mail] = await outboxOf(buyer);
  expect(mail?.subject).toBe("रिफ़ंड शुरू हुआ: Figma के लिए ₹149");
  expect(mail?.text).toContain("यह खरीदारी पहले ही बंद हो चुकी थी।");
});

test("a purchase that a coupon makes free has a receipt too", async () => {
  const tool = await shop.tool();
  const coupon = await shop.coupon(tool.id, { discountPercentage: 100 });
  const buyer = await shop.user();
  const started = await startCheckout(buyer, { slug: tool.slug, coupon: coupon.code });
  expect(started.kind).toBe("nothing-to-pay");
  const mail = (await sendAll()).find(({ to }) => to === buyer.actor.email);
  expect(mail?.text).toContain("Amount paid: ₹0");
});

test("each renewal has a receipt of its own", async () => {
  const tool = await shop.tool();
  const buyer = await shop.user();
  const first = await buy(buyer, tool.slug);
  shop.clock.advance(31 * DAY);
  const second = await buy(buyer, tool.slug);
  const mails = await outboxOf(buyer);
  expect(mails.map(({ purchaseId }) => purchaseId).toSorted()).toEqual(
    [first.purchaseId, second.purchaseId].toSorted(),
  );
});

test("a payment that becomes a refund has no receipt", async () => {
  const tool = await shop.tool();
  const buyer = await shop.user();
  const { gatewayOrderId, purchaseId } = await startPaidCheckout(buyer, { slug: tool.slug });
  await cancelPurchase(await shop.user("admin"), { purchaseId, reason: "Suspicious", refund: false });
  await shop.payAtGateway(gatewayOrderId);
  await settleOrder(shop.system(), { gatewayOrderId });
  expect((await outboxOf(buyer)).map(({ kind }) => kind)).toEqual(["payment-refunded"]);
});

test("a template that fails delays no purchase and no other mail; its mail waits until it is sent again", async () => {
  const error = vi.fn();
  const tool = await shop.tool();
  const buyer = await shop.user();
  const { gatewayOrderId } = await startPaidCheckout(
    { ...buyer, ports: { ...buyer.ports, mailTemplates: brokenMailTemplates } },
    { slug: tool.slug },
  );
  const proof = await shop.payAtGateway(gatewayOrderId);
  await confirmCheckout({ ...buyer, ports: { ...buyer.ports, mailTemplates: brokenMailTemplates } }, proof);
  expect((await shop.purchasesOf(buyer))[0]).toMatchObject({ status: "completed" });
  const rendered = { subject: "Hello", html: "<p>Hello</p>", text: "Hello" };
  const other = { recipient: "b@example.com", kind: "giveaway-won", nextTryAt: shop.clock.now() };
  await shop.db.insert(mailMessages).values({ ...other, ...rendered });
  const system = shop.system();
  const mailTransport = { send: vi.fn(() => Promise.resolve()) };
  await sendQueuedMail({
    ...system,
    log: { ...system.log, error },
    ports: { ...system.ports, mailTemplates: brokenMailTemplates, mailTransport },
  });
  expect(mailTransport.send).toHaveBeenCalledExactlyOnceWith(expect.objectContaining(rendered));
  expect(error).toHaveBeenCalledWith(
    expect.objectContaining({ kind: "purchase-receipt" }),
    expect.anything(),
  );
  expect(await outboxOf(buyer)).toMatchObject([{ status: "failed", tries: 0 }]);
});

test("a receipt that is sent after its pass was ended promises no access", async () => {
  const tool = await shop.tool();
  const buyer = await shop.user();
  const { purchaseId } = await buy(buyer, tool.slug);
  await cancelPurchase(await shop.user("admin"), { purchaseId, reason: "Shared", refund: false });
  const mail = (await sendAll()).find(({ to }) => to === buyer.actor.email);
  expect(mail?.text).toContain("has since ended");
  expect(mail?.text).not.toContain("Access until");
});

test("a receipt that is sent after its pass has run out promises no access", async () => {
  const tool = await shop.tool();
  const buyer = await shop.user();
  const { purchaseId } = await buy(buyer, tool.slug);
  await shop.db
    .update(userPurchases)
    .set({ startsAt: new Date(Date.now() - DAY), expiresAt: new Date(Date.now() - 1000) })
    .where(eq(userPurchases.id, purchaseId));
  const mail = (await sendAll()).find(({ to }) => to === buyer.actor.email);
  expect(mail?.text).toContain("has since ended");
  expect(mail?.text).not.toContain("Access until");
});

test("a pass that an admin assigns is announced once to its user, and links to the tool", async () => {
  const tool = await shop.tool({ name: "Grammarly" });
  const buyer = await shop.user();
  const admin = await shop.user("admin");
  const { purchaseId } = await assignTool(admin, { userId: buyer.actor.userId, toolId: tool.id });
  const [queued] = await shop.db
    .select()
    .from(mailMessages)
    .where(and(eq(mailMessages.recipient, buyer.actor.email), eq(mailMessages.purchaseId, purchaseId)));
  expect(queued).toMatchObject({ kind: "pass-assigned", subject: "You have access to Grammarly" });
  const mail = (await sendAll()).find(({ to }) => to === buyer.actor.email);
  expect(mail?.html).toContain(`/tools/${tool.slug}`);
});
