// deploy/Caddyfile and deploy/nginx.conf in front of a shop: a purchase, the visitor's address, live updates, large bodies, and no
// query in any log. Needs the Debian packages caddy, nginx-light and openssl. node bin/daypass.mjs exec bench/proxies.ts
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../tests/free-port.ts";
import { Buyer } from "./support/shop-buyer.ts";
import { createDataDir, ROOT, type ShopProcess, startShop, stopShop } from "./support/shop-process.ts";
import { step } from "./support/step.ts";

interface Site {
  port: number;
  plainPort: number;
  shopPort: number;
  /** For all files of the proxy. */
  folder: string;
}

/** Returns the command that runs a proxy with the file of deploy/; only ports, paths and the certificate are changed. */
const PROXIES: Record<string, (site: Site) => { file: string; args: string[]; env: Record<string, string> }> =
  {
    caddy: ({ port, shopPort, folder }) => {
      const config = readDeployed("Caddyfile");
      const here = "{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n";
      const file = write(folder, "Caddyfile", replaceOnce(config, "{\n", here));
      const env = { ORIGIN: `https://localhost:${port}`, SHOP: `127.0.0.1:${shopPort}` };
      return {
        file: "caddy",
        args: ["run", "--config", file, "--adapter", "caddyfile"],
        env: { ...env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
      };
    },
    nginx: ({ port, plainPort, shopPort, folder }) => {
      const [key, certificate] = [join(folder, "privkey.pem"), join(folder, "fullchain.pem")];
      const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
      execFileSync(
        "openssl",
        ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, ...subject],
        { stdio: "ignore" },
      );
      const site = readDeployed("nginx.conf")
        .replaceAll("/etc/letsencrypt/live/shop.example.com", folder)
        .replaceAll("/var/log/nginx", folder)
        .replaceAll("shop.example.com", "localhost")
        .replaceAll("127.0.0.1:3000", `127.0.0.1:${shopPort}`)
        .replace(/listen (\[::\]:)?80;/g, `listen $1${plainPort};`)
        .replace(/listen (\[::\]:)?443 /g, `listen $1${port} `);
      const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map((name) => `${name}_temp_path ${join(folder, name)};`)
        .join("\n");
      const file = write(
        folder,
        "nginx.conf",
        `user root;\ndaemon off;\npid ${folder}/pid;\nevents {}\nhttp {\n${temporary}\n${site}\n}\n`,
      );
      execFileSync("nginx", ["-t", "-c", file, "-e", join(folder, "start.log")], { stdio: "pipe" });
      return { file: "nginx", args: ["-c", file, "-e", join(folder, "start.log")], env: {} };
    },
  };

const ADMIN_PASSWORD = "a-password-for-the-bench";
const SECRET = "never-in-a-log";

// The certificates are made here.
process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
process.removeAllListeners("warning");

for (const [name, configure] of Object.entries(PROXIES)) {
  const folder = mkdtempSync(join(tmpdir(), `daypass-${name}-`));
  const [port, plainPort, shopPort] = [await freePort(), await freePort(), await freePort()];
  const url = `https://localhost:${port}`;
  const dataDir = createDataDir();
  const shop = await startShop({
    dataDir,
    port: shopPort,
    env: {
      ORIGIN: url,
      ADMIN_PASSWORD,
      TRUSTED_PROXIES: "127.0.0.1",
      SANDBOX_ON_PUBLIC_ORIGIN: "1",
      LOG_LEVEL: "debug",
    },
  });
  const { file, args, env } = configure({ port, plainPort, shopPort, folder });
  const proxy = spawn(file, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH, ...env },
  });
  let output = "";
  for (const stream of [proxy.stdout, proxy.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  try {
    await check(name, { url, shop, logs: () => output + readLogs(folder) });
  } finally {
    proxy.kill("SIGTERM");
    await stopShop(shop);
    for (const path of [folder, dataDir]) rmSync(path, { recursive: true, force: true });
  }
}

async function check(name: string, { url, shop, logs }: { url: string; shop: ShopProcess; logs(): string }) {
  await step(`${name} passes requests on`, () =>
    until(async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.ok === true, logs),
  );
  await step(
    `${name}: a buyer buys a pass, and a live page hears of it while its stream is open`,
    async () => {
      const stream = await send(url, "/live", { accept: "text/event-stream", "accept-encoding": "gzip" });
      let events = "";
      // It ends with an error when the test leaves it.
      stream.response.on("error", () => undefined);
      stream.response.on("data", (chunk) => (events += String(chunk)));
      await until(async () => events.includes("event: hello"), logs);
      await buy(url);
      await until(async () => events.includes("event: change"), logs);
      stream.response.destroy();
    },
  );
  await step(`${name}: a form of another site is refused`, async () => {
    const { status } = await fetch(`${url}/checkout/start`, {
      method: "POST",
      headers: { origin: "https://elsewhere.example" },
      body: new URLSearchParams({ slug: "canva" }),
    });
    require(status === 403, `status ${status}`);
  });
  await step(
    `${name}: the shop sees the visitor's address, and not the one that the visitor claims`,
    async () => {
      const { response } = await send(
        url,
        "/shop/canva?address",
        { "x-forwarded-for": "203.0.113.7" },
        { localAddress: "127.0.0.9" },
      );
      response.resume();
      await until(async () => shop.output().includes('"address":"127.0.0.9"'), shop.output);
      require(!shop.output().includes("203.0.113.7"), "the claimed address is believed");
    },
  );
  const cookie = await signInAsAdmin(url);
  await step(`${name}: the shop receives a catalogue file of 25 MB from an admin`, async () => {
    const headers = { origin: url, cookie, "content-type": "application/vnd.daypass.catalogue" };
    const body = Buffer.alloc(25_000_000);
    const { response } = await send(url, "/admin/catalogue", headers, { method: "POST" }, body);
    let answer = "";
    for await (const chunk of response) answer += String(chunk);
    // It refuses the file when it has read it.
    const isReceived = [200, 400].includes(response.statusCode ?? 0) && answer.startsWith('{"ok":');
    require(isReceived, `status ${response.statusCode}: ${answer.slice(0, 200)}`);
  });
  await step(`${name}: no log has a query, also when the shop does not answer`, async () => {
    const path = `/tools/canva?accessCode=${SECRET}&sessionCode=${SECRET}`;
    const open = async () => {
      const { response } = await send(url, path, { referer: `${url}${path}` });
      response.resume();
      return response.statusCode;
    };
    await open();
    await stopShop(shop);
    require((await open()) === 502, "the shop still answers");
    // nginx logs every request, Caddy those that fail.
    await until(async () => logs().includes("/tools/canva"), logs);
    for (const [whose, log] of Object.entries({ proxy: logs(), shop: shop.output() }))
      require(!log.includes(SECRET), `the log of the ${whose} has the codes:\n${log}`);
  });
}

async function buy(url: string): Promise<void> {
  const buyer = new Buyer(url);
  await buyer.signUp();
  const order = await buyer.start("canva");
  if (!("orderId" in order)) throw new Error(`refused: ${order.refused}`);
  const state = await buyer.confirm(await buyer.pay(order.orderId));
  require(state === "success", `the checkout is ${state}`);
}

async function signInAsAdmin(url: string): Promise<string> {
  const response = await fetch(`${url}/admin/login`, {
    method: "POST",
    redirect: "manual",
    headers: { origin: url },
    body: new URLSearchParams({ email: "admin@example.com", password: ADMIN_PASSWORD }),
  });
  require(response.status === 302, `the admin's sign-in responded with ${response.status}`);
  return response.headers
    .getSetCookie()
    .map((one) => one.split(";")[0])
    .join("; ");
}

function send(
  url: string,
  path: string,
  headers: Record<string, string>,
  options: { method?: string; localAddress?: string } = {},
  body?: Buffer,
): Promise<{ response: IncomingMessage }> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "content-length": String(body.length) };
    const { port } = new URL(url);
    request({
      host: "127.0.0.1",
      servername: "localhost",
      port,
      path,
      headers: { host: `localhost:${port}`, ...headers, ...length },
      agent: false,
      ...options,
    })
      .once("response", (response) => resolve({ response }))
      .once("error", reject)
      .end(body);
  });
}

async function until(isSo: () => Promise<boolean>, explain: () => string): Promise<void> {
  const end = performance.now() + 20_000;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`It did not happen within 20 seconds.\n${explain()}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function require(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}

function readDeployed(name: string): string {
  return readFileSync(join(ROOT, "deploy", name), "utf8");
}

function readLogs(folder: string): string {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".log"))
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("\n");
}

function write(folder: string, name: string, text: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

function replaceOnce(text: string, part: string, by: string): string {
  if (!text.includes(part)) throw new Error(`The file has no ${JSON.stringify(part)}.`);
  return text.replace(part, by);
}
