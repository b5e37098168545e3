import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { createServer as createTcpServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { eq, sql } from "drizzle-orm";
import { SMTPServer } from "smtp-server";
import { expect, onTestFinished, test, vi } from "vitest";
import { keyFolder, loadOrCreateKeys } from "#adapters/cipher/key-file.ts";
import { checkKeyFingerprints, keyFingerprints } from "#adapters/cipher/key-fingerprints.ts";
import { BACKUPS_KEY } from "#core/backups/backup-record.ts";
import type { CheckId, HealthLine } from "#core/health/health-check.ts";
import { DAY, HOUR, MINUTE } from "#core/time.ts";
import { jobRuns, settings } from "#db/tables/operations.ts";
import { webhookEvents } from "#db/tables/payments.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { startFakeGateway } from "#tests/fake-gateway/fake-gateway.ts";
import { makeCertificate } from "#tests/fixtures/certificate.ts";
import { insertPayment } from "#tests/fixtures/insert-payment.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { freePort } from "#tests/free-port.ts";
import { printHealth } from "./doctor-command.ts";
import { startEmbeddedPostgres } from "./embedded-postgres/start-embedded-postgres.ts";
import { createAnswer, healthKey } from "./health/signed-question.ts";
import { createClientAddresses } from "./http/client-address.ts";
import { JOB_NAMES } from "./jobs.ts";
import { runTask } from "./main.ts";
import { openForDoctor } from "./start/doctor-setup.ts";

const HEADERS = {
  "content-security-policy": "default-src 'self'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "SAMEORIGIN",
  "strict-transport-security": "max-age=31536000",
};
const MAIL_PASSWORD = "the-password-of-the-mailbox";
type Handler = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return address.port;
}

/**
 * A shop that everything is fine with: a database with its keys, jobs on time and a backup of this night, a server that answers as
 * the shop does, a mail server, and the gateway. A test breaks one part.
 */
async function makeShop({ trustedProxies = [] as string[] } = {}) {
  const database = await freshDatabase();
  const clock = { now: () => new Date() };
  const shop = openTestShop(database, { clock });
  const dataDir = mkdtempSync(join(tmpdir(), "doctor-"));
  onTestFinished(async () => {
    await shop.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const keys = await loadOrCreateKeys({ authSecret: undefined, vaultKeys: [], dataDir, mayGenerate: true });
  await checkKeyFingerprints(shop.db, keyFingerprints(keys));
  const nextRunAt = new Date(Date.now() + MINUTE);
  await shop.db.insert(jobRuns).values(JOB_NAMES.map((name) => ({ name, nextRunAt })));
  await recordBackup(new Date(Date.now() - 5 * HOUR));
  async function recordBackup(at: Date) {
    const file = { at: at.toISOString(), path: join(dataDir, "backup.zip"), bytes: 1, isEncrypted: false };
    const value = { since: new Date(Date.now() - 30 * DAY).toISOString(), verified: file };
    await shop.db.delete(settings).where(eq(settings.key, BACKUPS_KEY));
    await shop.db.insert(settings).values({ key: BACKUPS_KEY, value });
  }

  const answerQuestion = createAnswer(healthKey(keys.authSecret), createClientAddresses(trustedProxies));
  const port = await listen(
    createServer((incoming, outgoing) => {
      outgoing.writeHead(200, incoming.url === "/healthz" ? {} : HEADERS);
      outgoing.end(answerQuestion(incoming) ?? '{"ok":true}');
    }),
  );
  const mailPort = await startMailServer();
  const gateway = await startFakeGateway();
  onTestFinished(() => gateway.close());
  const variables: Record<string, string> = {
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    PORT: String(port),
    BACKUP_NIGHTLY: "1",
    SMTP_URL: `smtp://shop:${MAIL_PASSWORD}@127.0.0.1:${mailPort}`,
    RAZORPAY_KEY_ID: gateway.keyId,
    RAZORPAY_KEY_SECRET: gateway.keySecret,
    RAZORPAY_WEBHOOK_SECRET: "fake-webhook-secret",
    RAZORPAY_API_URL: gateway.url,
    TRUSTED_PROXIES: trustedProxies.join(","),
  };
  return { ...shop, keys, dataDir, port, mailPort, variables, recordBackup };
}

const REFUSED_SENDER = "nobody@elsewhere.example";

/** Refuses one sender. No mail may reach it: the doctor only asks. */
async function startMailServer(): Promise<number> {
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    closeTimeout: 1,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      username === "shop" && password === MAIL_PASSWORD
        ? done(null, { user: "shop" })
        : done(new Error("no")),
    onMailFrom: ({ address }, _session, done) =>
      done(address === REFUSED_SENDER ? new Error("Sender address rejected: not owned by user") : null),
    onRcptTo: () => {
      throw new Error("the doctor names no recipient");
    },
  });
  server.on("error", () => {});
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const address = server.server.address();
  if (address === null || typeof address === "string") throw new Error("the mail server has no port");
  return address.port;
}

/** Runs the command as the terminal does. */
async function doctor(variables: Record<string, string>, isJson = true) {
  let printed = "";
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    printed += String(text);
    return true;
  });
  // How fast the database answers depends on what else this machine does.
  vi.spyOn(performance, "now").mockReturnValue(0);
  const setup = await openForDoctor(variables);
  try {
    const isFine = await printHealth({ ...setup, isJson });
    return { isFine, printed };
  } finally {
    await setup.stop();
    vi.restoreAllMocks();
  }
}

async function linesOf(variables: Record<string, string>) {
  const { isFine, printed } = await doctor(variables);
  const { ok, checks }: { ok: boolean; checks: HealthLine[] } = JSON.parse(printed);
  expect(ok).toBe(isFine);
  for (const secret of [MAIL_PASSWORD, "fake-key-secret", "fake-webhook-secret", "hunter2"])
    expect(printed).not.toContain(secret);
  return { isFine, lines: checks };
}

/** The doctor names this one thing, says what mends it, and names nothing else. */
async function expectOnly(variables: Record<string, string>, id: CheckId, detail: RegExp, mending: RegExp) {
  const { isFine, lines } = await linesOf(variables);
  const named = lines.filter(({ state }) => state === "failed" || state === "warning");
  expect(named.map((line) => `${line.id}: ${line.detail}`)).toEqual([
    expect.stringMatching(new RegExp(`^${id}: `)),
  ]);
  expect(named[0]?.detail).toMatch(detail);
  expect(`${named[0]?.remedy} ${named[0]?.command}`).toMatch(mending);
  expect(isFine).toBe(named[0]?.state === "warning");
  return lines;
}

const skippedOf = (lines: readonly HealthLine[]) =>
  lines.filter(({ state }) => state === "skipped").map(({ id }) => id);

test("every line of the doctor is fine for a shop without a fault", async () => {
  const { variables } = await makeShop();
  const { isFine, lines } = await linesOf(variables);
  expect(lines.filter(({ state }) => state !== "ok")).toEqual([expect.objectContaining({ id: "tls" })]);
  expect(isFine).toBe(true);
  const { printed } = await doctor(variables, false);
  expect(printed).toContain("Everything is fine.");
});

test("a wrong setting is named, and the machine is checked all the same", async () => {
  const lines = await expectOnly({ PORT: "one" }, "settings", /^PORT must be a port number/, /settings/);
  expect(lines.filter(({ state }) => state === "ok").map(({ id }) => id)).toEqual([
    "node",
    "memory",
    "files",
  ]);
});

test("an ADMIN_EMAIL that no sign-in would take is named", async () => {
  const { variables } = await makeShop();
  const wrong = { ...variables, ADMIN_EMAIL: "आशा@example.com" };
  await expectOnly(wrong, "settings", /^ADMIN_EMAIL must be an e-mail address/, /settings/);
});

test("a database that nothing answers for, and one with another password, are named without the password", async () => {
  const { variables } = await makeShop();
  const port = await freePort();
  const away = { ...variables, DATABASE_URL: `postgres://shop:hunter2@127.0.0.1:${port}/shop` };
  const lines = await expectOnly(away, "database", /nothing answers there/, /database server runs/);
  expect(skippedOf(lines)).toEqual([
    ...["postgres", "latency", "database-clock", "schema", "keys"],
    ...["tls", "webhook", "jobs", "refunds", "disputes", "names", "backup"],
  ]);
  const url = new URL(variables.DATABASE_URL ?? "");
  url.password = "hunter2";
  await expectOnly({ ...variables, DATABASE_URL: url.href }, "database", /password/, /password/);
});

test("a DATA_DIR that no shop was started with is named, and no database is made in it", async () => {
  const { variables, dataDir } = await makeShop();
  const { DATABASE_URL: _, ...embedded } = variables;
  await expectOnly({ ...embedded }, "database", /no shop has been started with it/, /npm start/);
  expect(existsSync(join(dataDir, "pg"))).toBe(false);
});

test("a database of an older PostgreSQL in DATA_DIR is named", async () => {
  const { variables, dataDir } = await makeShop();
  mkdirSync(join(dataDir, "pg", "17"), { recursive: true });
  writeFileSync(join(dataDir, "pg", "17", "PG_VERSION"), "17\n");
  const { DATABASE_URL: _, ...embedded } = variables;
  await expectOnly({ ...embedded }, "database", /made by PostgreSQL 17/, /npm run restore/);
});

test("an embedded database whose files are gone is named with the newest backup and its command, by the doctor and by a start", async () => {
  const { variables, dataDir } = await makeShop();
  chmodSync(dataDir, 0o755);
  const { DATABASE_URL: _, ...embedded } = variables;
  const quiet = { log: () => undefined, onFatal: () => undefined };
  const { folder, stop } = await startEmbeddedPostgres({ dataDir, ...quiet });
  await stop();
  rmSync(join(folder, "global", "pg_control"));
  const none = /^There is no backup in .+backups\. /;
  await expectOnly(embedded, "database", /are damaged or missing/, none);
  const file = join(dataDir, "backups", "daypass-2026-11-26T01-00-00Z.zip");
  mkdirSync(join(dataDir, "backups"), { mode: 0o700 });
  writeFileSync(file, "", { mode: 0o600 });
  const newest = /newest backup is daypass-2026-11-26T01-00-00Z\.zip \(0 minutes ago, not verified\)/;
  await expectOnly(embedded, "database", /are damaged or missing/, newest);
  const mending = new RegExp(`To restore it: npm run restore -- '${file}'$`);
  await expectOnly(embedded, "database", /are damaged or missing/, mending);

  for (const [name, value] of Object.entries(embedded)) vi.stubEnv(name, value);
  vi.stubEnv("PORT", String(await freePort()));
  const printed = vi.spyOn(console, "error").mockReturnValue();
  onTestFinished(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });
  const { signal: replaced } = new AbortController();
  const preparation = {
    root: "",
    build: async () => undefined,
    replaced,
    onReady: () => undefined,
    flags: [],
  };
  expect(await runTask("start", preparation)).toBe(1);
  expect(printed.mock.calls.flat()).toEqual([
    expect.stringMatching(/are damaged or missing/),
    expect.stringMatching(mending),
  ]);
});

test("the keys of another shop, and missing ones, are named", async () => {
  const { variables, dataDir } = await makeShop();
  const other = await makeShop();
  const lines = await expectOnly(
    { ...variables, DATA_DIR: other.dataDir },
    "keys",
    /authentication secret differs/,
    /AUTH_SECRET.+keys:give-up/,
  );
  // A shop with other keys could not be told apart from another server.
  expect(skippedOf(lines)).toEqual(expect.arrayContaining(["port", "origin", "proxy"]));
  rmSync(keyFolder(dataDir), { recursive: true });
  await expectOnly(variables, "keys", /keys of this database are missing/, /Put back the folder/);
  expect(existsSync(keyFolder(dataDir))).toBe(false);
});

test("a missing extension is named with the statement that creates it", async () => {
  const { variables, pool } = await makeShop();
  await pool.query("drop extension pg_trgm cascade");
  await expectOnly(variables, "postgres", /extension pg_trgm/, /CREATE EXTENSION IF NOT EXISTS pg_trgm;/);
});

test("tables of a newer version are a warning, as after the way back from an upgrade, and everything else is checked", async () => {
  const { variables, pool } = await makeShop();
  await pool.query("insert into drizzle.__drizzle_migrations (hash, created_at) values ('x', 9999999999999)");
  const lines = await expectOnly(variables, "schema", /newer version/, /newer version again/);
  expect(lines.find(({ id }) => id === "schema")?.state).toBe("warning");
  expect(skippedOf(lines)).toEqual(["tls"]);
});

test("tables of an older version, and missing ones, are named, and what needs them is skipped", async () => {
  const { variables, pool } = await makeShop();
  await pool.query(
    "delete from drizzle.__drizzle_migrations where created_at = (select max(created_at) from drizzle.__drizzle_migrations)",
  );
  const lines = await expectOnly(variables, "schema", /older version/, /npm start/);
  expect(skippedOf(lines)).toEqual(expect.arrayContaining(["webhook", "jobs", "refunds", "backup"]));
  await pool.query("drop schema drizzle cascade");
  await expectOnly(variables, "schema", /no tables/, /npm start/);
});

test("keys and backups that other users can open are named, and stay as they are", async () => {
  const { variables, dataDir } = await makeShop();
  const file = join(keyFolder(dataDir), "vault-keys");
  chmodSync(file, 0o644);
  await expectOnly(variables, "folders", /can open .+vault-keys/, /chmod 600 .+vault-keys/);
  await expectOnly(variables, "folders", /can open .+vault-keys/, /chmod 600 .+vault-keys/);
  chmodSync(file, 0o600);
  mkdirSync(join(dataDir, "backups"));
  chmodSync(join(dataDir, "backups"), 0o755);
  await expectOnly(variables, "folders", /where the backups are/, /chmod 700 .+backups/);
});

test("a folder of the backups that is a file is named", async () => {
  const { variables, dataDir } = await makeShop();
  writeFileSync(join(dataDir, "backups"), "", { mode: 0o600 });
  await expectOnly(variables, "folders", /should be a folder/, /mv .+backups/);
});

test("a port that another program uses is named, also when that program speaks no HTTP", async () => {
  const { variables } = await makeShop();
  const web = await listen(createServer((_, outgoing) => void outgoing.end("hello")));
  const port = await listen(
    createTcpServer((socket) => socket.write("220 hello\r\n", () => socket.destroy())),
  );
  for (const taken of [web, port])
    await expectOnly(
      { ...variables, PORT: String(taken) },
      "port",
      /in use by another program/,
      /sudo ss -ltnp/,
    );
});

test("a shop that does not run is a warning, and what only a running shop can show is skipped", async () => {
  const { variables } = await makeShop();
  const idle = { ...variables, PORT: String(await freePort()) };
  const lines = await expectOnly(idle, "port", /not running/, /npm start/);
  expect(skippedOf(lines)).toEqual(["origin", "proxy", "tls"]);
});

test("an ORIGIN that another server answers, that leads elsewhere, or that nothing answers is named", async () => {
  const { variables } = await makeShop();
  let answer: Handler = (_, outgoing) => void outgoing.end('{"ok":true}');
  const other = await listen(createServer((incoming, outgoing) => answer(incoming, outgoing)));
  const elsewhere = { ...variables, ORIGIN: `http://localhost:${other}` };
  await expectOnly(elsewhere, "origin", /another server/, /ORIGIN and the DNS entry/);
  answer = (_, outgoing) => void outgoing.writeHead(301, { location: "http://www.localhost/" }).end();
  await expectOnly(elsewhere, "origin", /on to http:\/\/www\.localhost/, /ORIGIN=http:\/\/www\.localhost/);
  answer = (_, outgoing) => void outgoing.writeHead(502).end("bad gateway");
  await expectOnly(elsewhere, "origin", /does not reach the shop/, /nginx/);
  const nowhere = { ...variables, ORIGIN: `http://localhost:${await freePort()}` };
  await expectOnly(
    nowhere,
    "origin",
    /nothing answers there/,
    /firewall.+if it runs on another one, replace 127\.0\.0\.1/,
  );
});

/** A proxy in front of a shop, as nginx is. */
async function startProxy(
  port: number,
  options: { forwards?: boolean; hides?: string; certificate?: { key: string; cert: string } } = {},
): Promise<number> {
  const { forwards = true, hides, certificate } = options;
  const handle: Handler = ({ method, url, headers, socket }, outgoing) => {
    const forwarded = forwards ? { "x-forwarded-for": socket.remoteAddress } : {};
    const own = request({ port, method, path: url, headers: { ...headers, ...forwarded } }, (answer) => {
      const { [hides ?? ""]: _, ...shown } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 0, shown);
      answer.pipe(outgoing);
    });
    own.end();
  };
  return listen(certificate === undefined ? createServer(handle) : createSecureServer(certificate, handle));
}

test("a proxy that is not trusted, and one that does not name the client, are named with the line that mends it", async () => {
  const { variables, port } = await makeShop();
  const behind = async (options: Parameters<typeof startProxy>[1]) => ({
    ...variables,
    ORIGIN: `http://localhost:${await startProxy(port, options)}`,
  });
  await expectOnly(await behind({}), "proxy", /does not trust it/, / TRUSTED_PROXIES=127\.0\.0\.1$/);
  const others = await makeShop({ trustedProxies: ["10.0.0.0/8", "192.0.2.7"] });
  const untrusted = { ...others.variables, ORIGIN: `http://localhost:${await startProxy(others.port)}` };
  await expectOnly(
    untrusted,
    "proxy",
    /not trust it/,
    / TRUSTED_PROXIES=10\.0\.0\.0\/8,192\.0\.2\.7,127\.0\.0\.1$/,
  );
  const trusting = await makeShop({ trustedProxies: ["127.0.0.1"] });
  const silent = await startProxy(trusting.port, { forwards: false });
  await expectOnly(
    { ...trusting.variables, ORIGIN: `http://localhost:${silent}` },
    "proxy",
    /does not say who/,
    /proxy_set_header X-Forwarded-For/,
  );
});

test("a proxy that hides a header of the shop is named", async () => {
  const { variables, port } = await makeShop({ trustedProxies: ["127.0.0.1"] });
  const proxy = await startProxy(port, { hides: "content-security-policy" });
  const behind = { ...variables, ORIGIN: `http://localhost:${proxy}` };
  await expectOnly(behind, "origin", /removes a header.+content-security-policy/, /proxy_hide_header/);
});

test("the doctor finds all fine behind a proxy with a good certificate, and names an expired, foreign or unknown one", async () => {
  const { variables, port } = await makeShop({ trustedProxies: ["127.0.0.1"] });
  const known = getCACertificates("default");
  onTestFinished(() => setDefaultCACertificates(known));
  const behind = async (certificate: { key: string; cert: string }, isTrusted = true) => {
    setDefaultCACertificates(isTrusted ? [...known, certificate.cert] : known);
    return { ...variables, ORIGIN: `https://localhost:${await startProxy(port, { certificate })}` };
  };
  const inDays = (days: number) => new Date(Date.now() + days * DAY);
  const good = makeCertificate({ name: "localhost", validTo: inDays(60) });
  const { lines, isFine } = await linesOf(await behind(good));
  expect(lines.filter(({ state }) => state !== "ok")).toEqual([]);
  expect(isFine).toBe(true);
  await expectOnly(await behind(good, false), "tls", /not from an authority/, /fullchain/);
  const old = makeCertificate({ name: "localhost", validTo: inDays(-3) });
  await expectOnly(await behind(old), "tls", /expired 3 days ago/, /certbot renew/);
  const soon = makeCertificate({ name: "localhost", validTo: inDays(13) });
  await expectOnly(await behind(soon), "tls", /expires in 13 days/, /certbot renew/);
  const foreign = makeCertificate({ name: "shop.example", validTo: inDays(60) });
  await expectOnly(await behind(foreign), "tls", /for another name than localhost/, /certbot --nginx/);
});

test("an ORIGIN with https that takes connections and never answers is named once", async () => {
  const { variables } = await makeShop();
  const sockets: Socket[] = [];
  const port = await listen(createTcpServer((socket) => void sockets.push(socket)));
  const silent = { ...variables, ORIGIN: `https://localhost:${port}` };
  const lines = await expectOnly(silent, "origin", /does not answer in time/, /firewall/);
  expect(skippedOf(lines)).toEqual(["proxy", "tls"]);
  for (const socket of sockets) socket.destroy();
});

test("an address that does not speak TLS is named once as such", async () => {
  const { variables, port } = await makeShop();
  const { lines } = await linesOf({ ...variables, ORIGIN: `https://localhost:${port}` });
  expect(lines.find(({ id }) => id === "tls")).toMatchObject({
    state: "failed",
    detail: expect.stringMatching(/does not answer with an encrypted connection/),
  });
});

test("a wrong password of the mail server, and a mail server that is away, are named", async () => {
  const { variables, mailPort } = await makeShop();
  const wrong = { ...variables, SMTP_URL: `smtp://shop:hunter2@127.0.0.1:${mailPort}` };
  await expectOnly(wrong, "mail", /refuses the user or the password/, /SMTP_URL/);
  const away = { ...variables, SMTP_URL: `smtp://shop:hunter2@127.0.0.1:${await freePort()}` };
  await expectOnly(away, "mail", /cannot be used: .*ECONNREFUSED/, /SMTP_URL/);
  const { SMTP_URL: _, ...without } = variables;
  await expectOnly(without, "mail", /No mail server is set/, /SMTP_URL=/);
});

test("a mail server that takes the password and refuses the sender is named, with its answer", async () => {
  const { variables } = await makeShop();
  const sender = { ...variables, MAIL_FROM: `Sweet Shop <${REFUSED_SENDER}>` };
  await expectOnly(
    sender,
    "mail",
    /refuses the sender Sweet Shop <nobody@elsewhere\.example>.+not owned by user\.$/,
    /MAIL_FROM=/,
  );
});

test("a mail server that ends the connection is named", async () => {
  const { variables } = await makeShop();
  const port = await listen(
    createTcpServer((socket) => {
      socket.write("220 hello\r\n");
      socket.once("data", () => socket.end());
    }),
  );
  await expectOnly(
    { ...variables, SMTP_URL: `smtp://127.0.0.1:${port}` },
    "mail",
    /cannot be used/,
    /SMTP_URL/,
  );
});

test("a database that has no connection left is named once", async () => {
  const { variables, pool } = await makeShop();
  const client = await pool.connect();
  onTestFinished(() => client.release());
  const { rows } = await client.query(
    "select count(*)::int as used, current_database() as name from pg_stat_activity where datname = current_database()",
  );
  const [{ used, name }] = rows;
  // The owner of the database is no superuser, so the limit counts for it.
  await client.query(`alter database ${name} connection limit ${used + 1}`);
  await expectOnly(variables, "database", /^The database gives no more connections/, /max_connections/);
  await client.query(`alter database ${name} connection limit 1`);
  await expectOnly(variables, "database", /^The database gives no more connections/, /max_connections/);
});

test("a database that is read only, and a role that may not write, are named once", async () => {
  const readOnly = await makeShop();
  const { rows } = await readOnly.pool.query("select current_database() as name");
  await readOnly.pool.query(`alter database ${rows[0].name} set default_transaction_read_only = on`);
  await expectOnly(readOnly.variables, "database", /^The database is read only/, /address of the primary/);
  const weak = await makeShop();
  await weak.pool.query("revoke insert on settings from current_user");
  await expectOnly(weak.variables, "database", /^The database does not allow this role/, /OWNER TO/);
});

test("wrong keys of the gateway, and a gateway that is away, are named", async () => {
  const { variables } = await makeShop();
  const wrong = { ...variables, RAZORPAY_KEY_SECRET: "hunter2" };
  await expectOnly(wrong, "gateway", /refuses the keys/, /RAZORPAY_KEY_SECRET=/);
  const away = { ...variables, RAZORPAY_API_URL: `http://127.0.0.1:${await freePort()}` };
  await expectOnly(away, "gateway", /cannot be reached/, /internet/);
});

test("a clock that differs from that of the gateway is named", async () => {
  const { variables } = await makeShop();
  const port = await listen(
    createServer((_, outgoing) => {
      const date = new Date(Date.now() - 10.5 * MINUTE).toUTCString();
      outgoing.writeHead(200, { "content-type": "application/json", date });
      outgoing.end('{"entity":"collection","count":0,"items":[]}');
    }),
  );
  await expectOnly(
    { ...variables, RAZORPAY_API_URL: `http://127.0.0.1:${port}` },
    "gateway-clock",
    /10 min ahead/,
    /set-ntp/,
  );
});

test("a payment without a webhook is named with the address of the webhook; with one all is fine", async () => {
  const { variables, db, ...shop } = await makeShop();
  const createdAt = new Date(Date.now() - HOUR);
  await insertPayment({ ...shop, db }, { order: { gateway: "razorpay" }, attempt: { createdAt } });
  await expectOnly(variables, "webhook", /came without one/, /\/webhooks\/razorpay/);
  const event = { gateway: "razorpay", eventId: "e1", type: "payment.captured", payload: "{}" };
  await db.insert(webhookEvents).values({ ...event, createdAt, processedAt: createdAt });
  expect((await linesOf(variables)).isFine).toBe(true);
  const { RAZORPAY_WEBHOOK_SECRET: _, ...without } = variables;
  await expectOnly(without, "webhook", /No webhook is set up/, /RAZORPAY_WEBHOOK_SECRET/);
});

test("a job that has not run, and a shop whose jobs all stand still, are named", async () => {
  const { variables, db } = await makeShop();
  const late = { nextRunAt: new Date(Date.now() - HOUR) };
  await db.update(jobRuns).set(late).where(eq(jobRuns.name, "send-mail"));
  await expectOnly(variables, "jobs", /^The job send-mail has not run for 1 h/, /restart/);
  await db.update(jobRuns).set(late);
  await expectOnly(variables, "jobs", /^No job has run for 1 h/, /restart/);
});

test("a refund that waits for more than a day, and one that failed, are named", async () => {
  const { variables, db, ...shop } = await makeShop();
  const refund = { createdAt: new Date(Date.now() - 2 * DAY), status: "requested" as const };
  const attempt = { outcome: "refund" as const };
  const { purchaseId } = await insertPayment({ ...shop, db }, { attempt, refunds: [refund] });
  await expectOnly(variables, "refunds", /1 refund has been waiting/, /Razorpay dashboard/);
  await db.execute(sql`update refunds set status = 'failed'`);
  await expectOnly(variables, "refunds", /1 refund failed/, /by hand/);
  expect(purchaseId).not.toBe("");
});

test("an old backup and a missing one are named with the command that makes one", async () => {
  const { variables, db, recordBackup } = await makeShop();
  await recordBackup(new Date(Date.now() - 3 * DAY));
  await expectOnly(variables, "backup", /3 days old/, /npm run backup -- --nightly/);
  await db.delete(settings).where(eq(settings.key, BACKUPS_KEY));
  await expectOnly({ ...variables, BACKUP_NIGHTLY: "0" }, "backup", /are off/, /BACKUP_NIGHTLY=1/);
});
