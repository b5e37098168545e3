// Pages each second with 50 tools: the stored home page and a shop page, beside bare Node servers that hand out the same
// body, in turns; and rendered pages: the home page and a shop page at addresses that are not stored, the home page of a
// signed-in buyer, and two lists of the admin. Median of 5 for each.
// node bin/daypass.mjs exec bench/public-pages.ts [folder of another checkout, to be measured in its place]
import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { freePort } from "../tests/free-port.ts";
import { connectToShop } from "./support/shop-database.ts";
import { createDataDir, median, ROOT, startShop, stopShop } from "./support/shop-process.ts";
import { insertSessions } from "./support/signed-in-buyer.ts";

const TIMES = 5;
const SECONDS = 4;
const result = z.object({ perSecond: z.number(), p99: z.number() });
type Result = z.infer<typeof result>;

const dataDir = createDataDir();
const authSecret = randomBytes(32).toString("hex");
const shop = await startShop({
  dataDir,
  port: await freePort(),
  env: { AUTH_SECRET: authSecret },
  ...(process.argv[2] && { cwd: process.argv[2] }),
});
const database = await connectToShop(dataDir);
await database.query(
  `insert into tools (id, slug, name, description, price_paise, original_price_paise, available_stock, features,
     validity_days, category, pricing_options, works_on, sells_when_not_ready)
   select gen_random_uuid(), slug || '-' || n, name || ' ' || n, description, price_paise, original_price_paise,
     available_stock, features, validity_days, category, pricing_options, works_on, true
   from tools, generate_series(1, 5) as n where deleted_at is null order by n, slug limit 50 - (select count(*) from tools)`,
);
await database.query("select pg_notify('daypass_live', 'tools ' || pg_current_xact_id())");
const [buyer] = await insertSessions(database, authSecret, 1);
const signedIn = await fetch(`${shop.url}/api/auth/sign-in/email`, {
  method: "POST",
  headers: { origin: shop.url, "content-type": "application/json" },
  body: JSON.stringify({ email: "admin@example.com", password: "a-password-for-the-bench" }),
});
const adminCookie = signedIn.headers
  .getSetCookie()
  .map((cookie) => cookie.split(";")[0])
  .join("; ");

// The bare servers hand out the body of the stored page: one with the least headers, one with all that the shop sends.
const bodyFile = join(dataDir, "home.br");
const ownHeadersFile = join(dataDir, "home-headers");
const acceptEncoding = ["-H", "accept-encoding: gzip, deflate, br, zstd"];
writeFileSync(bodyFile, execFileSync("curl", ["-s", "-D", ownHeadersFile, ...acceptEncoding, shop.url]));
const ownHeaders = Object.fromEntries(
  readFileSync(ownHeadersFile, "utf8")
    .split("\r\n")
    .flatMap((line) => {
      const [, name, value] = /^([^:]+): (.*)$/.exec(line) ?? [];
      // Node adds these itself.
      return name && value && !/^(?:date|connection|keep-alive)$/i.test(name) ? [[name, value]] : [];
    }),
);
const fewHeaders = Object.fromEntries(
  Object.entries(ownHeaders).filter(([name]) => /^content-(?:type|encoding|length)$/i.test(name)),
);
const bare = await startBareServer("few", fewHeaders);
const bareWithHeaders = await startBareServer("all", ownHeaders);

try {
  const runs = {
    bare: [],
    "bare, all headers": [],
    home: [],
    "shop page": [],
    "home, not stored": [],
    "shop page, not stored": [],
    "signed-in home": [],
    "admin: tools": [],
    "admin: users": [],
  } satisfies Record<string, Result[]>;
  const measured: Record<keyof typeof runs, Result[]> = runs;
  for (let n = 0; n < TIMES; n++) {
    measured.bare.push(load(bare.url));
    measured["bare, all headers"].push(load(bareWithHeaders.url));
    measured.home.push(load(`${shop.url}/`));
    measured["shop page"].push(load(`${shop.url}/shop/canva`));
    measured["home, not stored"].push(load(`${shop.url}/?q=`, "", 8));
    measured["shop page, not stored"].push(load(`${shop.url}/shop/canva?not-stored`, "", 8));
    measured["signed-in home"].push(load(`${shop.url}/`, buyer?.cookie, 8));
    measured["admin: tools"].push(load(`${shop.url}/admin/tools`, adminCookie, 8));
    measured["admin: users"].push(load(`${shop.url}/admin`, adminCookie, 8));
  }
  const baseline = median(measured.bare.map(({ perSecond }) => perSecond));
  for (const [name, values] of Object.entries(measured)) {
    const perSecond = median(values.map((value) => value.perSecond));
    const p99 = median(values.map((value) => value.p99));
    const all = values.map((value) => value.perSecond).join(", ");
    console.log(
      `${name}: ${perSecond}/s (${all}), p99 ${p99} ms, ${(perSecond / baseline).toFixed(3)} of the bare server`,
    );
  }
  console.log("aims: stored pages 18,000/s or 0.85 of the bare server; the signed-in home 60/s");
} finally {
  bare.process.kill();
  bareWithHeaders.process.kill();
  await database.end();
  await stopShop(shop);
  rmSync(dataDir, { recursive: true, force: true });
}

async function startBareServer(name: string, headers: Record<string, string>) {
  const headersFile = join(dataDir, `${name}-headers.json`);
  writeFileSync(headersFile, JSON.stringify(headers));
  const port = await freePort();
  const file = "bench/support/bare-server.ts";
  const server = spawn(process.execPath, [file, String(port), bodyFile, headersFile], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(server.stdout, "data");
  return { process: server, url: `http://127.0.0.1:${port}/` };
}

function load(url: string, cookie = "", connections = 32): Result {
  const file = join(ROOT, "bench/support/page-load.ts");
  const args = [file, url, cookie, String(connections), String(SECONDS)];
  return result.parse(JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })));
}
