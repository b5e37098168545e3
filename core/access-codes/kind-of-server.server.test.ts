import { and, eq, isNull, type SQL } from "drizzle-orm";
import { afterAll, beforeEach, expect, test } from "vitest";
import { tools } from "#db/tables/catalog.ts";
import { accessCodes } from "#db/tables/vault.ts";
import { newCodes, refusalsOf, serversOf, startCodesShop } from "#tests/fixtures/codes-shop.ts";
import { startPaidCheckout } from "#tests/fixtures/open-test-shop.ts";
import { applyCatalogue } from "../catalog/catalogue-file/apply-catalogue.server.ts";
import { downloadCatalogue } from "../catalog/catalogue-file/download-catalogue.server.ts";
import { previewCatalogue } from "../catalog/catalogue-file/preview-catalogue.server.ts";
import { recountStocks } from "../catalog/stock.server.ts";
import { STORE_SETTINGS_KEY, saveSetting } from "../catalog/store-settings.server.ts";
import { deleteTool, updateTool } from "../catalog/tool-editing/manage-tools.server.ts";
import { readTodaysGiveaway } from "../giveaways/read-giveaways.server.ts";
import { extendPurchase } from "../passes/change-pass-times.server.ts";
import { DAY } from "../time.ts";
import { giveUpSecrets } from "../vault/rotate-keys.server.ts";
import { createAccessCode, deleteAccessCode } from "./manage-access-codes.server.ts";

const shop = await startCodesShop();
afterAll(() => shop.close());
const { admin, addCodes, toolWith, buyers, buy, reveal } = shop;

const deleteCodes = async (where: SQL | undefined) => {
  const rows = await shop.db.select({ id: accessCodes.id }).from(accessCodes).where(where);
  for (const { id } of rows) await deleteAccessCode(admin, { id });
};
const codesOf = (toolId: string) => eq(accessCodes.toolId, toolId);
const unusedOf = (toolId: string) => and(codesOf(toolId), isNull(accessCodes.passId));

const addOne = (toolId: string, simpleCode = newCodes(1)[0] ?? "") =>
  createAccessCode(admin, { toolId, serverName: "Server 1", simpleCode, isActive: true });

const kindsOf = async (toolId: string) => {
  const rows = await shop.db.select({ servers: tools.servers }).from(tools).where(eq(tools.id, toolId));
  return rows[0]?.servers.map(({ perBuyer }) => perBuyer ?? false);
};

type Tool = Awaited<ReturnType<typeof toolWith>>;

/** Saves the form of a tool with these servers. */
async function saveTool(
  { id, name }: Tool,
  servers: { id?: string; name: string }[],
  pageToolIds: string[] = [],
) {
  const [row] = await shop.db.select().from(tools).where(eq(tools.id, id));
  const shown = String(row?.availableStock);
  return updateTool(admin, {
    toolId: id,
    name,
    description: "A tool.",
    validityDays: "30",
    price: "149",
    isActive: "on",
    version: String(row?.version),
    shownStock: shown,
    availableStock: shown,
    pageToolIds,
    servers: servers.map((server) => ({ ...server, url: "" })),
  });
}

interface Draft {
  tools: { slug: string; description: string; servers: { perBuyer?: boolean }[] }[];
  accessCodes: { perBuyer?: boolean; [field: string]: unknown }[];
}

/** The catalogue file with every code, as `change` leaves it. */
async function changedFile(change: (draft: Draft) => void, includeSecrets = true) {
  const draft = JSON.parse((await downloadCatalogue(admin, { includeSecrets })).text);
  change(draft);
  return JSON.stringify(draft);
}

async function upload(file: string) {
  const preview = await previewCatalogue(admin, { file });
  if (preview.kind === "invalid") throw new Error(preview.problems.join("\n"));
  return applyCatalogue(admin, { file, fingerprint: preview.fingerprint });
}

beforeEach(async () => {
  await shop.db.delete(accessCodes);
});

test("a server with codes for one buyer each stays so after its last code was deleted: a single new code goes to one buyer", async () => {
  const tool = await toolWith(2);
  const all = await buyers(6);
  await deleteCodes(codesOf(tool.id));
  expect(await shop.stockOf(tool.id)).toBe(0);
  await addOne(tool.id);
  expect(await shop.stockOf(tool.id)).toBe(1);
  for (const buyer of all) await shop.pass(buyer, { toolId: tool.id, toolName: tool.name });
  const shown = await Promise.allSettled(all.map((buyer) => reveal(buyer, tool)));
  expect(refusalsOf(shown)).toEqual(Array.from({ length: 5 }, () => "access-codes-used-up"));
});

test("a server with codes for one buyer each stays so after the codes were given up with a lost key", async () => {
  const tool = await toolWith(2);
  const all = await buyers(4);
  await giveUpSecrets(shop.system());
  await recountStocks(shop.system());
  expect(await shop.stockOf(tool.id)).toBe(0);
  await addOne(tool.id);
  for (const buyer of all) await shop.pass(buyer, { toolId: tool.id, toolName: tool.name });
  const shown = await Promise.allSettled(all.map((buyer) => reveal(buyer, tool)));
  expect(refusalsOf(shown)).toEqual(Array.from({ length: 3 }, () => "access-codes-used-up"));
});

test("a server with codes for one buyer each says how many sold passes are without a code after one was deleted", async () => {
  const tool = await toolWith(3);
  for (const buyer of (await buyers(3)).slice(1)) await buy(buyer, tool);
  const codes = await shop.db.select({ id: accessCodes.id }).from(accessCodes).where(unusedOf(tool.id));
  const waiting: number[] = [];
  for (const { id } of codes) waiting.push((await deleteAccessCode(admin, { id })).waitingPasses);
  expect(waiting).toEqual([0, 1, 2]);
});

test("a server with codes for one buyer each counts as no unit while it has no codes", async () => {
  const tool = await toolWith(3, ["Server 1", "Server 2"]);
  await deleteCodes(and(codesOf(tool.id), eq(accessCodes.serverName, "Server 2")));
  expect(await shop.stockOf(tool.id)).toBe(0);
  const [buyer] = await buyers(1);
  await expect(startPaidCheckout(buyer, { slug: tool.slug })).rejects.toThrow("tool-out-of-stock");
});

test("a server with codes for one buyer each stays so when its tool is edited, renamed, or gets a server of its former name", async () => {
  const tool = await toolWith(1);
  await deleteCodes(codesOf(tool.id));
  await saveTool(tool, [{ id: tool.first.id, name: "Renamed" }, { name: "Server 1" }]);
  expect(await kindsOf(tool.id)).toEqual([true, false]);
  const other = await toolWith(1);
  await saveTool(other, [{ name: "Another" }]);
  expect(await kindsOf(other.id)).toEqual([false]);
  await saveTool(other, [{ name: "Another" }, { name: "Server 1" }]);
  expect(await kindsOf(other.id)).toEqual([false, true]);
});

test("a server gets one code for all when the owner chooses that and no buyer has or can get an own one", async () => {
  const tool = await toolWith(2);
  const [buyer] = await buyers(1);
  await buy(buyer, tool);
  await reveal(buyer, tool);
  const forAll = () => addCodes(tool.id, newCodes(1), { handOut: "for-all" });
  await expect(forAll()).rejects.toThrow("server-has-codes-per-buyer");
  await deleteCodes(unusedOf(tool.id));
  await expect(forAll()).rejects.toThrow("server-has-codes-per-buyer");
  shop.clock.advance(31 * DAY);
  await forAll();
  expect(await kindsOf(tool.id)).toEqual([false]);
  expect(await shop.stockOf(tool.id)).toBe(0);
  const [first, second] = await buyers(2);
  for (const one of [first, second]) await shop.pass(one, { toolId: tool.id, toolName: tool.name });
  expect(await reveal(first, tool)).toBe(await reveal(second, tool));
  await expect(addCodes(tool.id, newCodes(1))).rejects.toThrow("server-has-shared-codes");
});

test("a catalogue file keeps the kind of a server, with codes and without, and also of one that is out of codes", async () => {
  const tool = await toolWith(1);
  await deleteCodes(codesOf(tool.id));
  const file = await changedFile(() => {}, false);
  expect(file).toContain('"perBuyer":true');
  expect(await upload(file)).toMatchObject({ changed: 0 });
  const withoutKey = await changedFile((draft) => {
    for (const { servers } of draft.tools) for (const server of servers) delete server.perBuyer;
    for (const entry of draft.tools) if (entry.slug === tool.slug) entry.description = "Changed.";
  });
  await upload(withoutKey);
  expect(await kindsOf(tool.id)).toEqual([true]);
  await deleteTool(admin, { toolId: tool.id });
  await upload(withoutKey);
  expect(await kindsOf(tool.id)).toEqual([true]);
});

test("a catalogue file with codes for one buyer each makes their server one for each buyer", async () => {
  const tool = await shop.tool({ servers: serversOf(["Server 1"]) });
  const code = { toolSlug: tool.slug, serverName: "Server 1", simpleCode: newCodes(1)[0], perBuyer: true };
  await upload(await changedFile(({ accessCodes: codes }) => codes.push(code)));
  expect(await kindsOf(tool.id)).toEqual([true]);
  expect(await shop.stockOf(tool.id)).toBe(1);
});

test("a catalogue file cannot give the code of one buyer to all buyers", async () => {
  const tool = await shop.tool({ servers: serversOf(["Server 1"]) });
  await addOne(tool.id);
  const file = await changedFile(({ accessCodes: codes }) => {
    for (const code of codes) code.perBuyer = true;
  });
  expect(await previewCatalogue(admin, { file })).toEqual({
    kind: "invalid",
    problems: [
      `accessCodes[0] "${tool.slug} / Server 1": perBuyer must be false, as it is in this shop: buyers may have the code`,
    ],
  });
  expect(await shop.db.$count(accessCodes, eq(accessCodes.perBuyer, true))).toBe(0);
});

test("a catalogue file has one kind of active codes for each server", async () => {
  const tool = await shop.tool({ servers: serversOf(["Server 1"]) });
  const code = (perBuyer: boolean) => ({
    toolSlug: tool.slug,
    serverName: "Server 1",
    simpleCode: newCodes(1)[0],
    perBuyer,
  });
  const file = await changedFile(({ accessCodes: codes }) => codes.push(code(true), code(false)));
  expect(await previewCatalogue(admin, { file })).toMatchObject({
    kind: "invalid",
    problems: [expect.stringContaining("perBuyer must be true, as the other codes of this server are")],
  });
});

test("the stock of a tool with a code for each buyer counts no test passes once the shop takes real money", async () => {
  const tool = await toolWith(2);
  const [asha, ravi] = await buyers(2);
  await buy(asha, tool);
  await buy(ravi, tool);
  expect(await shop.stockOf(tool.id)).toBe(0);
  const { gateway } = shop.ports;
  if (gateway === null) throw new Error("the sandbox shop has a gateway");
  const live = { ...shop.system(), ports: { ...shop.ports, gateway: { ...gateway, testMode: false } } };
  await recountStocks(live);
  expect(await shop.stockOf(tool.id)).toBe(2);
});

test("a pass that has its code is revived, although another pass waits for one", async () => {
  const tool = await toolWith(1);
  const [asha, ravi] = await buyers(2);
  const purchaseId = await buy(asha, tool);
  await reveal(asha, tool);
  await shop.pass(ravi, {
    toolId: tool.id,
    toolName: tool.name,
    expiresAt: new Date(shop.clock.now().getTime() + 90 * DAY),
  });
  shop.clock.advance(31 * DAY);
  await extendPurchase(admin, { purchaseId, days: 3 });
  await expect(reveal(ravi, tool)).rejects.toThrow("access-codes-used-up");
});

test("a pass whose code of one server was sold since is not revived", async () => {
  const tool = await toolWith(1, ["Server 1", "Server 2"]);
  const [asha, ravi] = await buyers(2);
  const purchaseId = await buy(asha, tool);
  await reveal(asha, tool);
  shop.clock.advance(31 * DAY);
  await addCodes(tool.id, newCodes(1));
  await buy(ravi, tool);
  await expect(extendPurchase(admin, { purchaseId, days: 3 })).rejects.toThrow("tool-out-of-stock");
});

test("the stock is counted with the page's new grants when the tool is saved, and is in the audit log", async () => {
  const tool = await toolWith(2);
  const bundle = await shop.tool();
  const [buyer] = await buyers(1);
  await buy(buyer, bundle);
  const [server] = tool.servers;
  expect(await saveTool(tool, [{ id: server?.id ?? "", name: "Server 1" }], [bundle.id])).toMatchObject({
    availableStock: 1,
  });
  expect((await shop.auditsOf(tool.id)).at(-1)?.details).toMatchObject({
    before: { availableStock: 2 },
    after: { availableStock: 1 },
  });
});

test("a giveaway is not open while its tool has no code", async () => {
  const tool = await toolWith(1);
  const [asha, ravi] = await buyers(2);
  await saveSetting(shop.db, STORE_SETTINGS_KEY, { name: "Shop", giveawayToolSlug: tool.slug });
  await buy(asha, tool);
  expect(await readTodaysGiveaway(ravi)).toBeNull();
  await addCodes(tool.id, newCodes(1));
  expect(await readTodaysGiveaway(ravi)).toMatchObject({ state: "open" });
  await deleteCodes(unusedOf(tool.id));
  expect(await readTodaysGiveaway(ravi)).toBeNull();
});
