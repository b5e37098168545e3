import { eq } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeEach, expect, test } from "vitest";
import { users } from "#db/tables/accounts.ts";
import { stockAlerts, tools } from "#db/tables/catalog.ts";
import { mailMessages, rateLimits, settings } from "#db/tables/operations.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { createManualClock } from "#tests/manual-clock.ts";
import { deleteUser } from "../accounts/delete-account.server.ts";
import { listToolsForAdmin } from "../catalog/list-tools-for-admin.server.ts";
import { getToolOffSale } from "../catalog/on-sale.server.ts";
import type { Context } from "../context.ts";
import { LIMITS } from "../rate-limits/rate-limits.ts";
import { hasStockAlert, listWaitingBuyers, setStockAlert, tellOfStock } from "./stock-alerts.server.ts";

const shop = openTestShop(await freshDatabase(), { clock: createManualClock() });
const { db } = shop;
afterAll(() => shop.close());
beforeEach(async () => {
  await db.delete(stockAlerts);
  await db.delete(mailMessages);
  await db.delete(rateLimits);
});

/** The shop with a mail server. */
const system = (): Context => {
  const ctx = shop.system();
  return { ...ctx, ports: { ...ctx.ports, mailTransport: { send: () => Promise.resolve() } } };
};

const RESTORED = { restoredAt: "2026-01-02T00:00:00Z", backupAt: "2026-01-01T00:00:00Z", confirmedAt: null };

type Buyer = Awaited<ReturnType<typeof shop.user>>;

const soldOut = (values: Parameters<typeof shop.tool>[0] = {}) => shop.tool({ availableStock: 0, ...values });
const ask = (buyer: Buyer, { slug }: { slug: string }, wanted = true) =>
  setStockAlert(buyer, { slug, wanted });
const restock = (toolId: string) => db.update(tools).set({ availableStock: 1 }).where(eq(tools.id, toolId));
const mails = () =>
  db
    .select({ to: mailMessages.recipient, kind: mailMessages.kind, text: mailMessages.text })
    .from(mailMessages);
const recipients = async () => (await mails()).map(({ to }) => to).sort();
const waiting = (toolId: string) => db.$count(stockAlerts, eq(stockAlerts.toolId, toolId));

test("a buyer waits for a tool out of stock, and takes it back; both may be repeated", async () => {
  const [tool, buyer] = [await soldOut(), await shop.user()];
  expect(await hasStockAlert(buyer, tool.slug)).toBe(false);
  for (const wanted of [true, true, false, false]) {
    expect(await ask(buyer, tool, wanted)).toEqual({ wanted });
    expect(await hasStockAlert(buyer, tool.slug)).toBe(wanted);
    expect(await waiting(tool.id)).toBe(wanted ? 1 : 0);
  }
});

test("a buyer finds a tool that was on sale once, waits for it, and gets the mail when it is on sale again", async () => {
  const buyer = await shop.user();
  const [drafted, noted, sold] = [await shop.tool({ isActive: false }), await shop.tool(), await shop.tool()];
  await tellOfStock(shop.system());
  await shop.pass(await shop.user(), { toolId: sold.id, toolName: sold.name });
  await db.update(tools).set({ wasOnSale: false }).where(eq(tools.id, sold.id));
  const refused = { code: "tool-not-found" };
  for (const { id, slug, name } of [noted, sold]) {
    await db.update(tools).set({ isActive: false }).where(eq(tools.id, id));
    expect(await getToolOffSale(shop.visitor(), { slug })).toEqual({ slug, name });
    await ask(buyer, { slug });
  }
  await expect(getToolOffSale(shop.visitor(), { slug: drafted.slug })).rejects.toMatchObject(refused);
  await expect(ask(buyer, drafted)).rejects.toMatchObject(refused);
  await tellOfStock(system());
  expect(await recipients()).toEqual([]);
  await db.update(tools).set({ isActive: true }).where(eq(tools.id, noted.id));
  await tellOfStock(system());
  expect(await recipients()).toEqual([buyer.actor.email]);
  await db.update(tools).set({ deletedAt: shop.clock.now() }).where(eq(tools.id, sold.id));
  await expect(getToolOffSale(shop.visitor(), { slug: sold.slug })).rejects.toMatchObject(refused);
});

test("a buyer waits once when 40 presses arrive at the same time", async () => {
  const [tool, buyer] = [await soldOut(), await shop.user()];
  await Promise.all(Array.from({ length: 40 }, () => ask(buyer, tool)));
  expect(await waiting(tool.id)).toBe(1);
});

test("a buyer cannot wait for a tool that is in stock, not on sale, deleted or unknown, or that the buyer has a pass for", async () => {
  const buyer = await shop.user();
  const owned = await soldOut();
  await shop.pass(buyer, { toolId: owned.id, toolName: owned.name });
  const refusals = [
    [await shop.tool(), "tool-in-stock"],
    [await soldOut({ isActive: false }), "tool-not-found"],
    [await soldOut({ sellsWhenNotReady: false }), "tool-not-found"],
    [await soldOut({ deletedAt: shop.clock.now() }), "tool-not-found"],
    [{ slug: "no-such-tool" }, "tool-not-found"],
    [owned, "already-owned"],
  ] as const;
  for (const [tool, code] of refusals) await expect(ask(buyer, tool)).rejects.toMatchObject({ code });
  expect(await db.$count(stockAlerts)).toBe(0);
});

test("a buyer can take a stock alert back when the tool is in stock again", async () => {
  const [tool, buyer] = [await soldOut(), await shop.user()];
  await ask(buyer, tool);
  await restock(tool.id);
  await ask(buyer, tool, false);
  expect(await waiting(tool.id)).toBe(0);
});

test("a buyer who takes a stock alert back changes nothing for another buyer", async () => {
  const [tool, buyer, other] = [await soldOut(), await shop.user(), await shop.user()];
  await ask(buyer, tool);
  await ask(other, tool, false);
  expect(await hasStockAlert(buyer, tool.slug)).toBe(true);
  expect(await hasStockAlert(other, tool.slug)).toBe(false);
});

test("the stock alerts of a buyer are limited, and bad input is refused", async () => {
  const [tool, buyer] = [await soldOut(), await shop.user()];
  for (const input of [
    {},
    { slug: tool.slug },
    { slug: tool.slug, wanted: "yes" },
    { slug: "", wanted: true },
  ])
    await expect(setStockAlert(buyer, input)).rejects.toMatchObject({ code: "invalid-input" });
  const most = LIMITS["stock-alert-account"].maxAttempts;
  const presses = await Promise.allSettled(Array.from({ length: most + 5 }, () => ask(buyer, tool)));
  const refused = presses.filter(({ status }) => status === "rejected");
  expect(refused).toHaveLength(5);
  expect(refused).toMatchObject(Array(5).fill({ reason: { code: "stock-alerts-too-fast" } }));
});

test("a buyer who is not signed in, or whose account is deleted, cannot wait for a tool", async () => {
  const tool = await soldOut();
  for (const ctx of [shop.visitor(), shop.system()])
    await expect(setStockAlert(ctx, { slug: tool.slug, wanted: true })).rejects.toMatchObject({
      code: "unauthenticated",
    });
  const [buyer, admin] = [await shop.user(), await shop.user("admin")];
  await deleteUser(admin, { userId: buyer.actor.userId });
  await expect(ask(buyer, tool)).rejects.toMatchObject({ code: "unauthenticated" });
  expect(await hasStockAlert(shop.visitor(), tool.slug)).toBe(false);
});

test("each buyer who waits for stock gets one mail with the link to the shop page; for other tools nothing happens", async () => {
  const [tool, other] = [await soldOut({ name: "Canva", slug: `canva-${uuidv7()}` }), await soldOut()];
  const [first, second] = [await shop.user(), await shop.user()];
  for (const buyer of [first, second]) await ask(buyer, tool);
  await ask(first, other);
  expect(await tellOfStock(system())).toBe(0);
  await restock(tool.id);
  expect(await tellOfStock(system())).toBe(2);
  expect(await recipients()).toEqual([first.actor.email, second.actor.email].sort());
  const [mail] = await mails();
  expect(mail?.kind).toBe("back-in-stock");
  expect(JSON.parse(mail?.text ?? "")).toEqual({
    toolName: "Canva",
    shopUrl: `https://shop.example/shop/${tool.slug}`,
  });
  expect([await waiting(tool.id), await waiting(other.id)]).toEqual([0, 1]);
  expect(await tellOfStock(system())).toBe(0);
});

test("nobody gets two mails about stock from eight runs at the same time", async () => {
  const tool = await soldOut();
  const buyers = Array.from({ length: 120 }, () => uuidv7());
  await db.insert(users).values(buyers.map((id) => ({ id, email: `${id}@example.com` })));
  await db.insert(stockAlerts).values(buyers.map((userId) => ({ toolId: tool.id, userId })));
  await restock(tool.id);
  await Promise.all(Array.from({ length: 8 }, () => tellOfStock(system())));
  expect(await recipients()).toEqual(buyers.map((id) => `${id}@example.com`).sort());
  expect(await waiting(tool.id)).toBe(0);
});

test("a run of the stock alerts that breaks off before its commit leaves no mail and every alert", async () => {
  const [tool, buyer] = [await soldOut(), await shop.user()];
  await ask(buyer, tool);
  await restock(tool.id);
  // As after kill -9: Postgres undoes what the broken connection has written.
  const broken = {
    ...shop.system(),
    ports: {
      ...system().ports,
      jobs: {
        triggerSoon() {
          throw new Error("the process ends after the mail is written");
        },
      },
    },
  };
  await expect(tellOfStock(broken)).rejects.toThrow("the process ends");
  expect([await waiting(tool.id), (await mails()).length]).toEqual([1, 0]);
  await tellOfStock(system());
  expect([await waiting(tool.id), await recipients()]).toEqual([0, [buyer.actor.email]]);
});

test("a buyer who has a pass meanwhile, or whose account is disabled, gets no mail about stock and waits no longer", async () => {
  const tool = await soldOut();
  const [owner, disabled, former] = [await shop.user(), await shop.user(), await shop.user()];
  for (const buyer of [owner, disabled, former]) await ask(buyer, tool);
  await shop.pass(owner, { toolId: tool.id, toolName: tool.name });
  await shop.pass(former, {
    toolId: tool.id,
    toolName: tool.name,
    expiresAt: new Date(shop.clock.now().getTime() - 1),
  });
  await db.update(users).set({ isActive: false }).where(eq(users.id, disabled.actor.userId));
  await restock(tool.id);
  expect(await tellOfStock(system())).toBe(1);
  expect(await recipients()).toEqual([former.actor.email]);
  expect(await waiting(tool.id)).toBe(0);
});

test("a shop without a mail server tells nobody about stock, and keeps the list", async () => {
  const [tool, buyer] = [await soldOut(), await shop.user()];
  await ask(buyer, tool);
  await restock(tool.id);
  expect(await tellOfStock(shop.system())).toBe(0);
  expect(await waiting(tool.id)).toBe(1);
});

test("a tool that is not on sale, and a restored shop that is not confirmed, tell nobody about stock", async () => {
  const [tool, buyer] = [await soldOut(), await shop.user()];
  await ask(buyer, tool);
  await restock(tool.id);
  await db.update(tools).set({ isActive: false }).where(eq(tools.id, tool.id));
  expect(await tellOfStock(system())).toBe(0);
  await db.update(tools).set({ isActive: true }).where(eq(tools.id, tool.id));
  await db.insert(settings).values({ key: "restored-backup", value: RESTORED });
  expect(await tellOfStock(system())).toBe(0);
  await db.delete(settings).where(eq(settings.key, "restored-backup"));
  expect(await tellOfStock(system())).toBe(1);
});

test("a deletion of the account during the run leaves neither the stock alert nor the mail", async () => {
  const [tool, buyer, admin] = [await soldOut(), await shop.user(), await shop.user("admin")];
  await ask(buyer, tool);
  await restock(tool.id);
  await Promise.all([tellOfStock(system()), deleteUser(admin, { userId: buyer.actor.userId })]);
  expect([await waiting(tool.id), await recipients()]).toEqual([0, []]);
});

test("only the system tells buyers about stock", async () => {
  for (const ctx of [shop.visitor(), await shop.user(), await shop.user("admin")])
    await expect(tellOfStock(ctx)).rejects.toMatchObject({ code: "forbidden" });
});

test("the owner sees how many wait for each tool, who they are, and a text to share", async () => {
  const admin = await shop.user("admin");
  const tool = await soldOut({ name: "Waited For", slug: `waited-${uuidv7()}` });
  const [first, second] = [await shop.user(), await shop.user()];
  await ask(first, tool);
  shop.clock.advance(1000);
  await ask(second, tool);
  const { rows } = await listToolsForAdmin(admin, { q: tool.slug });
  expect(rows).toMatchObject([{ id: tool.id, waiting: 2 }]);
  expect(await listWaitingBuyers(admin, { toolId: tool.id })).toMatchObject({
    buyers: [{ email: first.actor.email }, { email: second.actor.email }],
    total: 2,
    shareText: `Waited For is back: https://shop.example/shop/${tool.slug}`,
  });
});

test("the owner sees 200 of more waiting buyers, and the number of all", async () => {
  const tool = await soldOut();
  const buyers = Array.from({ length: 201 }, () => uuidv7());
  await db.insert(users).values(buyers.map((id) => ({ id, email: `${id}@example.com` })));
  await db.insert(stockAlerts).values(buyers.map((userId) => ({ toolId: tool.id, userId })));
  const list = await listWaitingBuyers(await shop.user("admin"), { toolId: tool.id });
  expect([list.buyers.length, list.total]).toEqual([200, 201]);
});

test("the owner alone sees who waits for a tool, and not of a deleted tool", async () => {
  const tool = await soldOut();
  await expect(listWaitingBuyers(shop.visitor(), { toolId: tool.id })).rejects.toMatchObject({
    code: "unauthenticated",
  });
  await expect(listWaitingBuyers(await shop.user(), { toolId: tool.id })).rejects.toMatchObject({
    code: "forbidden",
  });
  const admin = await shop.user("admin");
  await expect(listWaitingBuyers(admin, { toolId: "none" })).rejects.toMatchObject({
    code: "invalid-input",
  });
  await db.update(tools).set({ deletedAt: shop.clock.now() }).where(eq(tools.id, tool.id));
  await expect(listWaitingBuyers(admin, { toolId: tool.id })).rejects.toMatchObject({ code: "not-found" });
});
