import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "@playwright/test";
import { z } from "zod";
import { findLockHolder } from "#server/embedded-postgres/lock-file.ts";
import { databaseProcessesIn, isRunning } from "#server/embedded-postgres/processes.ts";
import { freePort } from "../free-port.ts";
import { clusterFolder, query } from "./shop-database.ts";
import { ADMIN_PASSWORD, makeDataDir, type ShopProcess, startShopProcess } from "./shop-process.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

// The first test makes the shop that the others start again.
test.describe.configure({ mode: "serial", timeout: 240_000 });

const dataDir = makeDataDir();
let shop: ShopProcess | undefined;
test.afterEach(() => shop?.stop());
test.afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

async function start(settings: Record<string, string>): Promise<ShopProcess> {
  const options = { dataDir, port: await freePort(), settings: { ADMIN_PASSWORD, ...settings } };
  shop = await startShopProcess(options);
  return shop;
}

/** Runs a command of the owner to its end, without a terminal. */
async function run(args: readonly string[], settings: Record<string, string> = {}) {
  const child = spawn(process.execPath, ["bin/daypass.mjs", ...args], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: String(await freePort()),
      DATA_DIR: dataDir,
      NO_RESTART: "1",
      ...settings,
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += String(text)));
  const [code] = await once(child, "close");
  return { code, output };
}

/** The process that serves the shop and owns its database; 0 when there is none. */
const servingProcess = () => findLockHolder(join(dataDir, "pg"))?.pid ?? 0;

test("the supervisor restarts a killed shop and stops it cleanly", async () => {
  const started = await start({ NO_RESTART: "0" });
  const killed = servingProcess();
  process.kill(killed, "SIGKILL");
  await expect
    .poll(() => [0, killed].includes(servingProcess()), {
      timeout: 60_000,
      message: "another process",
    })
    .toBe(false);
  const home = () => fetch(started.url).then(({ status }) => status, String);
  await expect.poll(home, { timeout: 60_000 }).toBe(200);

  const another = startShopProcess({ dataDir, port: await freePort(), settings: { NO_RESTART: "0" } });
  await expect(another).rejects.toThrow(`is in use by process ${servingProcess()} since`);

  const last = servingProcess();
  const folder = clusterFolder(dataDir);
  await started.stop();
  expect(await started.ended).toEqual([0, null]);
  expect(isRunning(last)).toBe(false);
  expect(databaseProcessesIn(folder)).toEqual([]);
});

test("a killed shop is not restarted with NO_RESTART=1", async () => {
  const started = await start({ NO_RESTART: "1" });
  process.kill(servingProcess(), "SIGKILL");
  expect(await started.ended).toEqual([null, "SIGKILL"]);
  // The next start stops the orphaned database.
  const again = await startShopProcess({ dataDir, port: await freePort(), settings: { NO_RESTART: "1" } });
  await again.stop();
  expect(databaseProcessesIn(clusterFolder(dataDir))).toEqual([]);
});

test("a bulk action of a shop that is killed twice goes on at the next start, and does each row once", async () => {
  const settings = { NO_RESTART: "1" };
  const sql = (text: string) => query(text, [], dataDir);
  const countRows = async (condition: string) => {
    const [found] = await sql(`select count(*)::int as rows from bulk_action_rows where ${condition}`);
    return z.object({ rows: z.number() }).parse(found).rows;
  };
  const kill = async ({ ended }: ShopProcess) => {
    process.kill(servingProcess(), "SIGKILL");
    await ended;
  };
  const first = await start(settings);
  await sql(
    `with buyer as (insert into users (id, email) select gen_random_uuid(), 'bulk-' || n || '@example.com'
       from generate_series(1, 1500) n returning id, email),
     pass as (insert into user_purchases (id, user_id, user_email, tool_id, tool_name, amount, list_price_paise, validity, status,
         source, starts_at, captured_at, expires_at)
       select gen_random_uuid(), buyer.id, buyer.email, tools.id, tools.name, 0, 0, 30, 'completed', 'admin', now(), now(),
         now() + interval '30 days' from buyer, tools where tools.slug = 'canva' returning *),
     action as (insert into bulk_actions (id, actor_id, action, input, row_count, started_at)
       select gen_random_uuid(), id, 'extend-purchases', '{"days":1}', 1500, now() from users where role = 'admin' returning id)
     insert into bulk_action_rows (bulk_action_id, position, row_id, state)
     select action.id, row_number() over (), pass.id,
       jsonb_build_array(pass.status, pass.ended_at, extract(epoch from pass.starts_at), extract(epoch from pass.expires_at))::text from action, pass`,
  );
  await kill(first);
  const second = await start(settings);
  await expect.poll(() => countRows("is_done"), { timeout: 60_000, intervals: [50] }).toBeGreaterThan(100);
  await kill(second);
  await start(settings);
  expect(await countRows("is_done is null")).toBeGreaterThan(0);
  await expect.poll(() => countRows("is_done"), { timeout: 120_000 }).toBe(1500);
  const wrong = await sql(
    `select id from user_purchases p where user_email like 'bulk-%' and (expires_at - starts_at <> interval '31 days'
       or (select count(*) from audit_events where subject_id = p.id::text and action = 'purchase.extended') <> 1)`,
  );
  expect(wrong).toEqual([]);
});

test("admin:reset with a mistyped address makes no second admin, unless a flag says so", async () => {
  const mistyped = { ADMIN_EMAIL: "admni@example.com" };
  const refused = await run(["admin-reset"], mistyped);
  expect(refused.code).toBe(1);
  expect(refused.output).toContain(
    "admni@example.com is not an admin of this shop. Its admins are: admin@example.com.",
  );
  expect(refused.output).toContain("--make-admin");
  expect(refused.output).not.toContain("New password");
  const agreed = await run(["admin-reset", "--make-admin"], mistyped);
  expect(agreed).toMatchObject({ code: 0, output: expect.stringContaining("New password") });
});

test("a shop without its key files does not start and writes none; a command gives the codes up", async () => {
  const keys = join(dataDir, "keys");
  rmSync(keys, { recursive: true });
  const refused = await run(["start"]);
  expect(refused.code).toBe(1);
  expect(refused.output).toContain("auth-secret is missing");
  expect(existsSync(keys)).toBe(false);
  const asked = await run(["keys-give-up"]);
  expect(asked.code).toBe(1);
  expect(asked.output).toContain("To agree without a terminal, add -- --yes");
  expect(existsSync(keys)).toBe(false);
  const given = await run(["keys-give-up", "--yes"]);
  expect(given).toMatchObject({ code: 0, output: expect.stringMatching(/Deleted: \d+ access codes/) });
  await start({});
});
