import { eq, isNotNull, sql } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { toolPageGrants, tools } from "#db/tables/catalog.ts";
import { auditEvents, mailMessages } from "#db/tables/operations.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { accessCodes } from "#db/tables/vault.ts";
import { pickByIndex } from "#tests/checkout-model/model.ts";
import { newCodes, refusalsOf, serversOf, startCodesShop } from "#tests/fixtures/codes-shop.ts";
import { startPaidCheckout } from "#tests/fixtures/open-test-shop.ts";
import { applyCatalogue } from "../catalog/catalogue-file/apply-catalogue.server.ts";
import { downloadCatalogue } from "../catalog/catalogue-file/download-catalogue.server.ts";
import { previewCatalogue } from "../catalog/catalogue-file/preview-catalogue.server.ts";
import { recountStocks } from "../catalog/stock.server.ts";
import { STORE_SETTINGS_KEY, saveSetting } from "../catalog/store-settings.server.ts";
import { updateTool } from "../catalog/tool-editing/manage-tools.server.ts";
import { confirmCheckout } from "../checkout/checkout-status.server.ts";
import { cancelCheckout } from "../checkout/end-checkout.server.ts";
import type { Context } from "../context.ts";
import { claimGiveaway } from "../giveaways/claim-giveaway.server.ts";
import { readTodaysGiveaway } from "../giveaways/read-giveaways.server.ts";
import { extendPurchase } from "../passes/change-pass-times.server.ts";
import { deletePurchase } from "../passes/end-purchases.server.ts";
import { assignTool } from "../passes/give-pass.server.ts";
import { DAY } from "../time.ts";
import { getToolPage } from "../tool-pages/get-tool-page.server.ts";
import { findServerByCode } from "./find-server-codes.server.ts";
import { listAccessCodes } from "./list-access-codes.server.ts";
import {
  addSeveralAccessCodes,
  createAccessCode,
  describeCodesPerBuyer,
  revealAccessCodeToAdmin,
  updateAccessCode,
} from "./manage-access-codes.server.ts";
import { reportAccessCode } from "./report-access-code.server.ts";

const shop = await startCodesShop();
afterAll(() => shop.close());
const { admin, addCodes, toolWith, buyers, buy, reveal } = shop;

const ownerMails = async () =>
  (await shop.db.select().from(mailMessages)).filter(({ kind }) => kind === "codes-used-up");

test("an admin reads how many passes need a code before the stock grows", async () => {
  const serverName = "Server 1";
  const plain = await shop.tool({ servers: serversOf([serverName]) });
  for (const buyer of await buyers(3)) await shop.pass(buyer, { toolId: plain.id, toolName: plain.name });
  const input = { toolId: plain.id, serverName };
  expect(await describeCodesPerBuyer(admin, input)).toEqual({ unused: 0, waiting: 3 });
  const [buyer] = await buyers(1);
  if (buyer !== undefined)
    expect(() => describeCodesPerBuyer(buyer, input)).toThrow(expect.objectContaining({ code: "forbidden" }));
});

test("a code for one buyer is taken by a pass at its first reveal, and the pass keeps it, also when it is extended", async () => {
  const tool = await toolWith(3);
  const [asha, ravi] = await buyers(2);
  const purchaseId = await buy(asha, tool);
  await buy(ravi, tool);
  expect(await shop.db.$count(accessCodes, isNotNull(accessCodes.passId))).toBe(0);
  const own = await reveal(asha, tool);
  expect(tool.codes[0]).toBe(own);
  expect(await reveal(asha, tool)).toBe(own);
  expect(await reveal(ravi, tool)).toBe(tool.codes[1]);
  await extendPurchase(admin, { purchaseId, days: 30 });
  shop.clock.advance(40 * DAY);
  expect(await reveal(asha, tool)).toBe(own);
  const { rows } = await listAccessCodes(admin, { q: own });
  expect(rows).toMatchObject([{ perBuyer: true, takenBy: asha.actor.email, isActive: true }]);
});

test("a pass takes one code for one buyer when its buyer asks many times at once", async () => {
  const tool = await toolWith(8);
  const [buyer] = await buyers(1);
  await buy(buyer, tool);
  const shown = await Promise.all(Array.from({ length: 8 }, () => reveal(buyer, tool)));
  expect(new Set(shown).size).toBe(1);
  expect(await shop.stockOf(tool.id)).toBe(7);
});

test("a code for one buyer goes to only one buyer, even when all ask at once", async () => {
  const tool = await toolWith(12);
  const all = await buyers(12);
  for (const buyer of all) await assignTool(admin, { userId: buyer.actor.userId, toolId: tool.id });
  const shown = await Promise.all(all.flatMap((buyer) => [reveal(buyer, tool), reveal(buyer, tool)]));
  expect(new Set(shown)).toEqual(new Set(tool.codes));
  expect(await shop.stockOf(tool.id)).toBe(0);
});

test("a code for one buyer is never sold twice: of ten buyers at once, as many hold a unit as there are codes", async () => {
  const tool = await toolWith(4);
  const all = await buyers(10);
  const results = await Promise.allSettled(all.map((buyer) => startPaidCheckout(buyer, { slug: tool.slug })));
  expect(refusalsOf(results)).toEqual(Array.from({ length: 6 }, () => "tool-out-of-stock"));
  expect(await shop.stockOf(tool.id)).toBe(0);
  const orders = results.flatMap((result, at) =>
    result.status === "fulfilled"
      ? [{ buyer: pickByIndex(all, at), gatewayOrderId: result.value.gatewayOrderId }]
      : [],
  );
  const shown = await Promise.all(
    orders.map(async ({ buyer, gatewayOrderId }) => {
      await confirmCheckout(buyer, await shop.payAtGateway(gatewayOrderId));
      return reveal(buyer, tool);
    }),
  );
  expect(new Set(shown)).toEqual(new Set(tool.codes));
});

test("a code for one buyer that does not exist is not sold, although the stored stock says so", async () => {
  const tool = await toolWith(1);
  const [first, second] = await buyers(2);
  await buy(first, tool);
  await shop.db.update(tools).set({ availableStock: 5 }).where(eq(tools.id, tool.id));
  await expect(startPaidCheckout(second, { slug: tool.slug })).rejects.toThrow("tool-out-of-stock");
});

test("a renewal takes a new code for one buyer", async () => {
  const tool = await toolWith(2);
  const [buyer] = await buyers(1);
  await buy(buyer, tool);
  const first = await reveal(buyer, tool);
  shop.clock.advance(31 * DAY);
  await buy(buyer, tool);
  const second = await reveal(buyer, tool);
  expect([first, second]).toEqual(tool.codes);
});

test("a renewal that waits reserves a code: it is not sold meanwhile, and the buyer gets it when the renewal runs", async () => {
  const tool = await toolWith(2);
  const [buyer, other] = await buyers(2);
  await buy(buyer, tool);
  const first = await reveal(buyer, tool);
  shop.clock.advance(25 * DAY);
  const { gatewayOrderId } = await startPaidCheckout(buyer, { slug: tool.slug, renewal: true });
  await confirmCheckout(buyer, await shop.payAtGateway(gatewayOrderId));
  await recountStocks(shop.system());
  expect(await shop.stockOf(tool.id)).toBe(0);
  await expect(startPaidCheckout(other, { slug: tool.slug })).rejects.toThrow("tool-out-of-stock");
  expect(await reveal(buyer, tool)).toBe(first);
  shop.clock.advance(6 * DAY);
  expect([first, await reveal(buyer, tool)]).toEqual(tool.codes);
});

test("the stock of a tool with a code for each buyer is the unused codes less the held and sold passes without one", async () => {
  const tool = await toolWith(5);
  const stock = () => shop.stockOf(tool.id);
  expect(await stock()).toBe(5);
  const [asha, ravi, mira] = await buyers(3);
  const { purchaseId } = await startPaidCheckout(asha, { slug: tool.slug });
  expect(await stock()).toBe(4);
  await cancelCheckout(asha, { purchaseId });
  expect(await stock()).toBe(5);
  const sold = await buy(ravi, tool);
  expect(await stock()).toBe(4);
  await reveal(ravi, tool);
  expect(await stock()).toBe(4);
  await addCodes(tool.id, newCodes(2));
  expect(await stock()).toBe(6);
  const unseen = await buy(mira, tool);
  await deletePurchase(admin, { purchaseId: unseen });
  expect(await stock()).toBe(6);
  await deletePurchase(admin, { purchaseId: sold });
  expect(await stock()).toBe(6);
});

test("the stock of a tool gets back the code of a pass that expired before its first reveal", async () => {
  const tool = await toolWith(1);
  const [first, second] = await buyers(2);
  await buy(first, tool);
  await recountStocks(shop.system());
  expect(await shop.stockOf(tool.id)).toBe(0);
  shop.clock.advance(31 * DAY);
  await expect(recountStocks(admin)).rejects.toThrow("forbidden");
  await recountStocks(shop.system());
  expect(await shop.stockOf(tool.id)).toBe(1);
  await buy(second, tool);
  expect(await reveal(second, tool)).toBe(tool.codes[0]);
});

test("the stock of a tool counts one code of each server as a unit, and a pass takes one of each", async () => {
  const tool = await toolWith(2, ["Server 1", "Server 2"]);
  await addCodes(tool.id, newCodes(3), { serverName: "Server 2" });
  expect(await shop.stockOf(tool.id)).toBe(2);
  const [buyer] = await buyers(1);
  await buy(buyer, tool);
  const shown = await Promise.all(tool.servers.map(({ id }) => reveal(buyer, tool, id)));
  expect(new Set(shown).size).toBe(2);
  expect(await shop.stockOf(tool.id)).toBe(1);
  expect(await shop.db.$count(accessCodes, eq(accessCodes.toolId, tool.id))).toBe(7);
});

test("the stock of a tool with a code for each buyer counts passes of other tools that open the page", async () => {
  const tool = await toolWith(2);
  const bundle = await shop.tool();
  await shop.db.insert(toolPageGrants).values({ page: tool.slug, toolId: bundle.id });
  const [buyer, other] = await buyers(2);
  await buy(buyer, bundle);
  await buy(other, tool);
  expect(await shop.stockOf(tool.id)).toBe(0);
  expect(await reveal(buyer, tool)).toBe(tool.codes[0]);
  expect(await reveal(other, tool)).toBe(tool.codes[1]);
});

test("the stock of a tool counts once a pass that opens the page by its tool and by its name", async () => {
  const tool = await toolWith(3);
  const named = await shop.tool({ name: "Named" });
  const grants = [{ toolName: "NAMED" }, { toolName: tool.name }, { toolName: "Nobody" }];
  for (const grant of grants) await shop.db.insert(toolPageGrants).values({ page: tool.slug, ...grant });
  const [buyer, other] = await buyers(2);
  await buy(buyer, named);
  await buy(other, tool);
  await recountStocks(shop.system());
  expect(await shop.stockOf(tool.id)).toBe(1);
});

test("the stock of a tool keeps the code of a sold pass from a pass of another tool that opens the page", async () => {
  const tool = await toolWith(1);
  const bundle = await shop.tool();
  const [asha, ravi] = await buyers(2);
  await buy(asha, tool);
  await shop.db.insert(toolPageGrants).values({ page: tool.slug, toolId: bundle.id });
  await buy(ravi, bundle);
  await expect(reveal(ravi, tool)).rejects.toThrow("access-codes-used-up");
  expect(await reveal(asha, tool)).toBe(tool.codes[0]);
});

test("an ended pass whose code was sold since cannot be revived", async () => {
  const tool = await toolWith(1);
  const [asha, ravi] = await buyers(2);
  const purchaseId = await buy(asha, tool);
  shop.clock.advance(31 * DAY);
  await recountStocks(shop.system());
  await buy(ravi, tool);
  await expect(extendPurchase(admin, { purchaseId, days: 3 })).rejects.toThrow("tool-out-of-stock");
  expect(await reveal(ravi, tool)).toBe(tool.codes[0]);
});

test("an assignment and a giveaway lower the stock of codes, and are refused when no code is left", async () => {
  const tool = await toolWith(2);
  const [asha, ravi, mira] = await buyers(3);
  await assignTool(admin, { userId: asha.actor.userId, toolId: tool.id });
  expect(await shop.stockOf(tool.id)).toBe(1);
  await saveSetting(shop.db, STORE_SETTINGS_KEY, { name: "Shop", giveawayToolSlug: tool.slug });
  const roundId = (await readTodaysGiveaway(shop.visitor()))?.roundId ?? "";
  const results = await Promise.allSettled([
    claimGiveaway(ravi, { roundId }),
    assignTool(admin, { userId: mira.actor.userId, toolId: tool.id }),
  ]);
  // A claim that starts after the end of the assignment finds no giveaway: its tool is out of stock.
  expect(refusalsOf(results)).toEqual([expect.stringMatching(/^(tool-out-of-stock|no-giveaway)$/)]);
  expect(await shop.stockOf(tool.id)).toBe(0);
  await expect(claimGiveaway(mira, { roundId })).rejects.toThrow(
    /tool-out-of-stock|giveaway-taken|no-giveaway|already-owned/,
  );
});

test("the form of a tool does not change its stock of codes", async () => {
  const tool = await toolWith(2);
  const sent = {
    name: tool.name,
    description: "A tool.",
    validityDays: "30",
    price: "149",
    isActive: "on",
  };
  const edit = { ...sent, toolId: tool.id, version: "1", shownStock: "2", availableStock: "50" };
  const servers = tool.servers.map(({ id, name }) => ({ id, name, url: "" }));
  expect(await updateTool(admin, { ...edit, servers })).toMatchObject({ availableStock: 2 });
  expect(await shop.stockOf(tool.id)).toBe(2);
});

test("a buyer is told when every code is used, the owner gets one mail a day, and a new code goes to the buyer who waits", async () => {
  const tool = await toolWith(1);
  const [first, second] = await buyers(2);
  await buy(first, tool);
  await reveal(first, tool);
  await shop.pass(second, { toolId: tool.id, toolName: tool.name });
  const before = (await ownerMails()).length;
  const asked = await Promise.allSettled(Array.from({ length: 5 }, () => reveal(second, tool)));
  expect(refusalsOf(asked)).toEqual(Array.from({ length: 5 }, () => "access-codes-used-up"));
  expect((await ownerMails()).slice(before)).toMatchObject([
    { recipient: admin.actor.email, subject: `No codes left for ${tool.name}, Server 1` },
  ]);
  // The audit log is no memory.
  await shop.db.delete(auditEvents);
  shop.clock.advance(DAY - 1);
  await expect(reveal(second, tool)).rejects.toThrow("access-codes-used-up");
  expect(await ownerMails()).toHaveLength(before + 1);
  shop.clock.advance(1);
  await expect(reveal(second, tool)).rejects.toThrow("access-codes-used-up");
  expect(await ownerMails()).toHaveLength(before + 2);
  expect(await shop.db.select({ action: auditEvents.action }).from(auditEvents)).toEqual([
    { action: "access-codes.used-up" },
  ]);
  expect(await getToolPage(second, { slug: tool.slug })).toMatchObject({
    servers: [{ codeVersion: null }],
  });
  const [added = ""] = newCodes(1);
  await addCodes(tool.id, [added]);
  expect(await getToolPage(second, { slug: tool.slug })).toMatchObject({
    servers: [{ codeVersion: "untaken" }],
  });
  expect(await reveal(second, tool)).toBe(added);
});

test("an account without a pass takes no code: neither an admin's nor a stranger's", async () => {
  const tool = await toolWith(1);
  await expect(reveal(admin, tool)).rejects.toThrow("access-code-for-passes");
  await expect(reveal(await shop.user(), tool)).rejects.toThrow("access-required");
  expect(await shop.db.$count(accessCodes, sql`tool_id = ${tool.id} and pass_id is null`)).toBe(1);
});

test("the owner chooses who gets the codes, and a server of the tool", async () => {
  const tool = await toolWith(0);
  const input = { toolId: tool.id, serverName: "Server 1", lines: newCodes(1).join("") };
  await expect(addSeveralAccessCodes(admin, input)).rejects.toMatchObject({
    fields: { handOut: ["Choose who gets these codes."] },
  });
  const wrong = { ...input, serverName: "Sever 1", handOut: "per-buyer" };
  const refusal = { fields: { serverName: ["Choose a server of this tool."] } };
  await expect(addSeveralAccessCodes(admin, wrong)).rejects.toMatchObject(refusal);
  await expect(createAccessCode(admin, { ...wrong, simpleCode: "X-1" })).rejects.toMatchObject(refusal);
});

test("a server does not mix codes for all buyers with codes for one buyer each", async () => {
  const shared = await toolWith(0);
  const add = (toolId: string, handOut: string) =>
    addSeveralAccessCodes(admin, { toolId, serverName: "Server 1", handOut, lines: newCodes(1).join("") });
  await add(shared.id, "for-all");
  await expect(add(shared.id, "per-buyer")).rejects.toThrow("server-has-shared-codes");
  const own = await toolWith(1);
  await expect(add(own.id, "for-all")).rejects.toThrow("server-has-codes-per-buyer");
  const [simpleCode = ""] = newCodes(1);
  await createAccessCode(admin, { toolId: own.id, serverName: "server 1", simpleCode, isActive: true });
  expect(await shop.stockOf(own.id)).toBe(2);
});

test("a catalogue file does not mix codes for all buyers with codes for one buyer each", async () => {
  const tool = await shop.tool({ servers: serversOf(["Server 1"]) });
  const code = (perBuyer: boolean) => ({ serverName: "Server 1", simpleCode: newCodes(1)[0], perBuyer });
  await createAccessCode(admin, { toolId: tool.id, isActive: true, ...code(false) });
  const draft = JSON.parse((await downloadCatalogue(admin, { includeSecrets: true })).text);
  draft.accessCodes.push({ toolSlug: tool.slug, ...code(true) });
  const file = JSON.stringify(draft);
  expect(await previewCatalogue(admin, { file })).toMatchObject({
    kind: "invalid",
    problems: [expect.stringContaining("perBuyer must be false, as the other codes of this server are")],
  });
  await expect(applyCatalogue(admin, { file, fingerprint: "0" })).rejects.toThrow("invalid-input");
  expect(await shop.db.$count(accessCodes, eq(accessCodes.toolId, tool.id))).toBe(1);
});

test("the owner replaces a code that does not work: its buyer takes another one, and it does not come back", async () => {
  const tool = await toolWith(2);
  const [buyer] = await buyers(1);
  await buy(buyer, tool);
  const first = await reveal(buyer, tool);
  await reportAccessCode(buyer, { page: tool.slug, serverId: tool.first.id });
  const row = (await listAccessCodes(admin, { q: first })).rows[0];
  expect(row).toMatchObject({ reports: 1 });
  const { version, ...shown } = await revealAccessCodeToAdmin(admin, { id: row?.id ?? "" });
  await expect(
    updateAccessCode(admin, { ...shown, version, toolId: (await toolWith(1)).id, isActive: "on" }),
  ).rejects.toThrow("access-code-in-use");
  await updateAccessCode(admin, { ...shown, version, isActive: undefined });
  expect(await reveal(buyer, tool)).toBe(tool.codes[1]);
  await expect(updateAccessCode(admin, { ...shown, version: version + 1, isActive: "on" })).rejects.toThrow(
    "access-code-replaced",
  );
  expect(await shop.stockOf(tool.id)).toBe(0);
});

test("a link with a code for one buyer leads to its server for its buyer and for an admin only", async () => {
  const tool = await toolWith(3);
  const [asha, ravi] = await buyers(2);
  for (const buyer of [asha, ravi]) await buy(buyer, tool);
  const own = await reveal(asha, tool);
  const find = async (ctx: Context, accessCode: string) =>
    findServerByCode(ctx, { page: tool.slug, accessCode, sessionCode: null });
  expect(await find(asha, own)).toEqual({ serverId: tool.first.id, isOfOtherTool: false });
  expect(await find(admin, own)).toMatchObject({ serverId: tool.first.id });
  for (const guess of [own, tool.codes[2] ?? ""])
    expect(await find(ravi, guess)).toEqual({ serverId: null, isOfOtherTool: false });
});

test("the database refuses a second active code of a server for one pass", async () => {
  const tool = await toolWith(2);
  const [buyer] = await buyers(1);
  await buy(buyer, tool);
  const [pass] = await shop.db
    .select()
    .from(userPurchases)
    .where(eq(userPurchases.userId, buyer.actor.userId));
  const take = { passId: pass?.id ?? null, takenAt: shop.clock.now() };
  await expect(
    shop.db.update(accessCodes).set(take).where(eq(accessCodes.toolId, tool.id)),
  ).rejects.toThrow();
});
