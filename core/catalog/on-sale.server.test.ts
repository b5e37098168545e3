import { eq } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { tools } from "#db/tables/catalog.ts";
import { startPaidCheckout } from "#tests/fixtures/open-test-shop.ts";
import { startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { createAccessCode, deleteAccessCode } from "../access-codes/manage-access-codes.server.ts";
import { confirmCheckout } from "../checkout/checkout-status.server.ts";
import { getOffer } from "../checkout/get-offer.server.ts";
import { startCheckout } from "../checkout/start-checkout.server.ts";
import { createCredential, deleteCredential } from "../credentials/manage-credentials.server.ts";
import { findToolCredential } from "../credentials/tool-credentials.server.ts";
import { readTodaysGiveaway } from "../giveaways/read-giveaways.server.ts";
import { readPageAccess } from "../passes/access.server.ts";
import { listToolsForAdmin } from "./list-tools-for-admin.server.ts";
import { findToolOnSale, listActiveTools } from "./on-sale.server.ts";
import { STORE_SETTINGS_KEY, saveSetting } from "./store-settings.server.ts";
import { sellWhenNotReady } from "./tool-editing/manage-tools.server.ts";

const shop = await startSandboxShop();
afterAll(() => shop.close());
const admin = await shop.user("admin");

const SERVERS = [{ id: "server-1", name: "Server 1", url: null }];

/** A tool with one server and nothing behind it. */
const emptyTool = (values: Partial<typeof tools.$inferInsert> = {}) =>
  shop.tool({ sellsWhenNotReady: false, servers: SERVERS, ...values });

async function isListed(slug: string) {
  return (await listActiveTools(shop.visitor())).some((card) => card.slug === slug);
}

let codes = 0;
const addCode = (toolId: string, more: { serverName?: string; isActive?: boolean } = {}) =>
  createAccessCode(admin, {
    toolId,
    serverName: "Server 1",
    simpleCode: `CODE-${++codes}`,
    isActive: true,
    ...more,
  });

async function rowOf(slug: string) {
  return (await listToolsForAdmin(admin, { q: slug })).rows.find((row) => row.slug === slug);
}

test("a tool that hands out nothing is not in the catalogue, has no offer, and its checkout is refused", async () => {
  const { slug, name } = await emptyTool();
  expect(await isListed(slug)).toBe(false);
  await expect(getOffer(shop.visitor(), { tool: slug })).rejects.toThrow("tool-not-found");
  await expect(getOffer(shop.visitor(), { tool: name })).rejects.toThrow("tool-not-found");
  const buyer = await shop.user();
  await expect(startCheckout(buyer, { slug })).rejects.toThrow("tool-not-found");
  expect(await shop.purchasesOf(buyer)).toEqual([]);
  expect(await rowOf(slug)).toMatchObject({ isActive: true, isReady: false });
});

test("an active code of a server puts the tool on sale, and the deletion of the code takes it off", async () => {
  const { id, slug } = await emptyTool();
  await addCode(id, { isActive: false });
  await expect(addCode(id, { serverName: "Sever 1" })).rejects.toThrow("invalid-input");
  expect(await isListed(slug)).toBe(false);
  const code = await addCode(id, { serverName: " server 1" });
  expect(await isListed(slug)).toBe(true);
  expect((await getOffer(shop.visitor(), { tool: slug })).state).toBe("payable");
  expect(await rowOf(slug)).toMatchObject({ isReady: true });
  await deleteAccessCode(admin, code);
  expect(await isListed(slug)).toBe(false);
});

test("a credential puts the tool on sale exactly when the tool's page would give it", async () => {
  const add = (service: "Write Human" | "QuillBot", email: string) =>
    createCredential(admin, { service, email, password: "secret", isActive: true });
  const named = await emptyTool({ credentialService: "Write Human" });
  const unnamed = await emptyTool();
  expect(await isListed(named.slug)).toBe(false);
  const first = await add("Write Human", "one@example.com");
  expect(await isListed(named.slug)).toBe(true);
  const own = await emptyTool({ credentialId: first.id });
  expect(await isListed(own.slug)).toBe(true);
  await add("Write Human", "two@example.com");
  expect(await isListed(named.slug)).toBe(true);
  await shop.db.update(tools).set({ credentialId: null }).where(eq(tools.id, named.id));
  expect((await findToolCredential(shop.db, named)).isAmbiguous).toBe(true);
  expect(await isListed(named.slug)).toBe(false);
  expect(await isListed(own.slug)).toBe(true);
  expect(await isListed(unnamed.slug)).toBe(false);
  await deleteCredential(admin, first);
  expect(await isListed(named.slug)).toBe(true);
  expect(await isListed(own.slug)).toBe(false);
});

test("a tool whose own credential is inactive is not on sale, also when another one fits its service", async () => {
  const signIn = { service: "Other", email: "own@example.com", password: "secret" };
  const { id } = await createCredential(admin, { ...signIn, otherService: "Udemy", isActive: false });
  await createCredential(admin, { ...signIn, otherService: "Grammarly", isActive: true });
  const tool = await emptyTool({ credentialId: id, credentialService: "Grammarly" });
  expect((await findToolCredential(shop.db, tool)).credential).toBeNull();
  expect(await isListed(tool.slug)).toBe(false);
});

test.each([
  ["with a launch page", { launchUrl: "https://example.com/" }],
  ["with an address of a server", { servers: [{ ...SERVERS[0], url: "https://example.com/" }] }],
  ["that is free", { pricePaise: 0 }],
  ["that is sold by chat only", { contactOnly: true }],
  ["that the owner sells anyway", { sellsWhenNotReady: true }],
] as [
  string,
  Partial<typeof tools.$inferInsert>,
][])("a tool %s is on sale without a code", async (_, values) => {
  const { slug } = await emptyTool(values);
  expect(await isListed(slug)).toBe(true);
});

test("a tool with options is not free, whatever its own price is", async () => {
  const option = { label: "30 Days", validityDays: 30, pricePaise: 4_900, originalPricePaise: null };
  const { slug } = await emptyTool({ pricePaise: 0, pricingOptions: [option] });
  expect(await isListed(slug)).toBe(false);
});

test("an inactive or deleted tool is not on sale, ready or not", async () => {
  const resting = await emptyTool({ isActive: false, sellsWhenNotReady: true });
  const gone = await emptyTool({ deletedAt: shop.clock.now(), launchUrl: "https://example.com/" });
  expect([await isListed(resting.slug), await isListed(gone.slug)]).toEqual([false, false]);
});

test("a tool that stops being ready keeps its open checkouts and passes", async () => {
  const { id, slug } = await emptyTool();
  const code = await addCode(id);
  const [first, second] = [await shop.user(), await shop.user()];
  const { gatewayOrderId } = await startPaidCheckout(first, { slug });
  await deleteAccessCode(admin, code);
  await expect(startCheckout(second, { slug })).rejects.toThrow("tool-not-found");
  expect(await confirmCheckout(first, await shop.payAtGateway(gatewayOrderId))).toMatchObject({
    state: "success",
  });
  expect(await readPageAccess(first, shop.db, slug)).toMatchObject({
    access: "granted",
    tool: { onSale: false },
  });
});

test("the owner sells a tool that is not ready, and stops, with an audit event each", async () => {
  const { id: toolId, slug } = await emptyTool();
  const sell = (sellsWhenNotReady: string) => sellWhenNotReady(admin, { toolId, sellsWhenNotReady });
  await sell("true");
  await sell("true");
  expect(await isListed(slug)).toBe(true);
  expect(await rowOf(slug)).toMatchObject({ isReady: false, sellsWhenNotReady: true });
  await sell("false");
  expect(await isListed(slug)).toBe(false);
  expect((await shop.auditsOf(toolId)).map(({ action }) => action)).toEqual([
    "tool.sold-when-not-ready",
    "tool.not-sold-when-not-ready",
  ]);
});

test("nobody but an admin sells a tool that is not ready", async () => {
  const { id: toolId, slug } = await emptyTool();
  const input = { toolId, sellsWhenNotReady: "true" };
  await expect(sellWhenNotReady(shop.visitor(), input)).rejects.toThrow("unauthenticated");
  await expect(sellWhenNotReady(await shop.user(), input)).rejects.toThrow("forbidden");
  await expect(
    sellWhenNotReady(admin, { ...input, toolId: shop.clock.now().toISOString() }),
  ).rejects.toThrow();
  await expect(sellWhenNotReady(admin, { toolId })).rejects.toThrow();
  expect(await isListed(slug)).toBe(false);
});

test("a tool that is not ready is not given away", async () => {
  const { id, slug } = await emptyTool();
  await saveSetting(shop.db, STORE_SETTINGS_KEY, { name: "Shop", giveawayToolSlug: slug });
  expect(await readTodaysGiveaway(shop.visitor())).toBeNull();
  await shop.db.update(tools).set({ launchUrl: "https://example.com/" }).where(eq(tools.id, id));
  expect(await findToolOnSale(shop.visitor(), { slug })).not.toBeNull();
  expect(await readTodaysGiveaway(shop.visitor())).toMatchObject({ toolSlug: slug });
});
