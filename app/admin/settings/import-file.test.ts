import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RouterContextProvider } from "react-router";
import { afterAll, expect, test } from "vitest";
import { createImportFiles } from "#adapters/document-export/import-files.ts";
import type { Context } from "#core/context.ts";
import { readUploadedImport } from "#core/import/uploaded-import.server.ts";
import { settings } from "#db/tables/operations.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop, withOldPassword } from "#tests/fixtures/open-test-shop.ts";
import { createManualClock } from "#tests/manual-clock.ts";
import { requestInfo, shopContext } from "../../middleware/request-context.ts";
import { action, loader } from "./import-file.ts";

const dataDir = mkdtempSync(join(tmpdir(), "import-file-"));
const importFiles = createImportFiles(dataDir);
const shop = openTestShop(await freshDatabase(), {
  clock: createManualClock(),
  ports: { commands: { run: async () => 0 }, importFiles },
});
const admin = await shop.user("admin");
afterAll(async () => {
  await shop.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** What a route gets, with a body that the HTTP server has received into a file. */
function argumentsFor(ctx: Context, name: string, hasFile = true) {
  const { id, path } = importFiles.create();
  if (hasFile) writeFileSync(path, "zip");
  let isKept = false;
  const keep = () => {
    isKept = true;
  };
  const context = new RouterContextProvider();
  context.set(shopContext, ctx);
  context.set(requestInfo, {
    nonce: "",
    requestId: null,
    showsVideo: () => undefined,
    waitToRender: async () => () => undefined,
    receivedFile: hasFile ? { id, bytes: 3, keep } : null,
  });
  const request = new Request(`${ctx.store.origin}/admin/import?name=${encodeURIComponent(name)}`, {
    headers: { "accept-encoding": "gzip" },
  });
  return { args: { context, request }, path, isKept: () => isKept };
}

test("a received file is refused from everybody but an admin with a recent password, and not kept", async () => {
  const actors: readonly [ctx: Context, status: number][] = [
    [shop.visitor(), 401],
    [await shop.user(), 403],
    [withOldPassword(admin), 403],
  ];
  for (const [ctx, status] of actors) {
    const { args, isKept } = argumentsFor(ctx, "a.zip");
    expect((await action(args)).status).toBe(status);
    expect(isKept()).toBe(false);
  }
  expect(await shop.db.$count(settings)).toBe(0);
});

test("a request without a received file is refused", async () => {
  const response = await action(argumentsFor(admin, "a.zip", false).args);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ ok: false, code: "bad-request" });
});

test("an upload is taken over, with its name in one line", async () => {
  const first = argumentsFor(admin, ` old\nshop ${"é".repeat(300)}.zip`);
  expect(await (await action(first.args)).json()).toEqual({ ok: true, message: null, value: null });
  expect([first.isKept(), existsSync(first.path)]).toEqual([true, true]);
  const { fileName = "" } = (await readUploadedImport(admin)) ?? {};
  expect(fileName).toMatch(/^old shop é+$/);
  expect(fileName).toHaveLength(200);
});

test("the report is a compressed download for an admin only", async () => {
  const { id = "" } = (await readUploadedImport(admin)) ?? {};
  for (const [ctx, status] of [
    [shop.visitor(), 401],
    [await shop.user(), 403],
    [admin, 404],
  ] as const)
    expect((await loader(argumentsFor(ctx, "").args)).status).toBe(status);
  writeFileSync(join(dataDir, "imports", `upload-${id}-dry-run.txt`), "tools/a refused: no price\n");
  const response = await loader(argumentsFor(admin, "").args);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-disposition": 'attachment; filename="import-report.txt"',
    "content-encoding": "gzip",
    "cache-control": "private, no-store",
  });
  const text = new Response(response.body?.pipeThrough(new DecompressionStream("gzip")));
  expect(await text.text()).toBe("tools/a refused: no price\n");
});
