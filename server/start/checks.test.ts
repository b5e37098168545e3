import { chownSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { ConfigurationError } from "../env.ts";
import {
  checkDatabase,
  checkPort,
  checkVaultKeyFile,
  DatabaseLostError,
  findFewOpenFiles,
  refuseRoot,
} from "./checks.ts";
import { describeFailure } from "./shutdown.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

test("a free port passes the check and stays free", async () => {
  const port = await listen();
  servers.pop()?.close();
  await checkPort({ host: "127.0.0.1", port });
  await checkPort({ host: "127.0.0.1", port });
});

test("a port in use is refused with a sentence that names it", async () => {
  const port = await listen();
  await expect(checkPort({ host: "127.0.0.1", port })).rejects.toThrow(
    new ConfigurationError(
      `PORT ${port} on 127.0.0.1 is in use by another program: stop that one, or set PORT to another number.`,
    ),
  );
});

test("a HOST of another machine is refused with a sentence that names it", async () => {
  await expect(checkPort({ host: "192.0.2.1", port: 3000 })).rejects.toThrow(
    "HOST 192.0.2.1 is not an address",
  );
});

test("few open files are named with the line that allows more", () => {
  expect(findFewOpenFiles(256)).toMatchObject({
    detail: expect.stringContaining("only 256 files"),
    command: "ulimit -n 65536",
  });
  expect(findFewOpenFiles(65_536)).toBe(null);
  expect(findFewOpenFiles(null)).toBe(null);
});

test("a rotation without keys is refused, and keys in the variable need no file", () => {
  const dataDir = "/no/such/folder";
  expect(() => checkVaultKeyFile({ vaultKeys: [], dataDir })).toThrow(
    "There are no keys in /no/such/folder/keys",
  );
  checkVaultKeyFile({ vaultKeys: ["k1:key"], dataDir });
});

test("a database where nothing answers is named by its address, without the password, and may answer later", async () => {
  const port = await listen();
  servers.pop()?.close();
  await expect(check(port)).rejects.toThrow(
    new DatabaseLostError(`DATABASE_URL (127.0.0.1:${port}) cannot be reached: nothing answers there.`),
  );
});

test("a database that closes the connection may answer later", async () => {
  const port = await listen();
  servers[0]?.on("connection", (socket) => socket.destroy());
  const error = await check(port).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(DatabaseLostError);
  expect(String(error)).toMatch(/DATABASE_URL \(127\.0\.0\.1:\d+\) cannot be reached: (?!.*hunter2)/);
});

test("a host that does not exist is a wrong setting, and a socket that is not there may come", async () => {
  // This name cannot exist, so the answer does not depend on a name server.
  await expect(checkDatabase("DATABASE_URL", "postgres://shop@no..host/shop")).rejects.toThrow(
    new ConfigurationError("DATABASE_URL (no..host) cannot be reached: there is no such host."),
  );
  await expect(checkDatabase("DATABASE_URL", "postgres:///shop?host=/no/such/folder")).rejects.toThrow(
    new DatabaseLostError("DATABASE_URL (local socket) cannot be reached: there is no such socket."),
  );
});

test.each([
  ["57P03", "the database system is starting up", DatabaseLostError],
  ["57P01", "terminating connection due to administrator command", DatabaseLostError],
  ["53300", "sorry, too many clients already", DatabaseLostError],
  ["28P01", "password authentication failed", ConfigurationError],
  ["3D000", "database does not exist", ConfigurationError],
])("a database that refuses with %s, %s", async (state, message, kind) => {
  const port = await listen();
  const body = Buffer.from(`SFATAL\0VFATAL\0C${state}\0M${message}\0\0`);
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + length.length);
  servers[0]?.on("connection", (socket) => {
    socket.once("data", () => socket.end(Buffer.concat([Buffer.from("E"), length, body])));
  });
  await expect(check(port)).rejects.toThrow(
    new kind(`DATABASE_URL (127.0.0.1:${port}) cannot be reached: ${message}.`),
  );
});

const check = (port: number) =>
  checkDatabase("DATABASE_URL", `postgres://shop:hunter2@127.0.0.1:${port}/shop`);

async function listen(): Promise<number> {
  const server = createServer();
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve());
  });
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no port");
  return address.port;
}

test("a start as root is refused where it would lock out the user who owns the folders", () => {
  const folder = mkdtempSync(join(tmpdir(), "owner-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const env = { dataDir: join(folder, "data"), backupFolder: join(folder, "backups") };
  const owner = statSync(folder).uid;
  if (owner === 0) {
    expect(() => refuseRoot(env, 0)).not.toThrow();
    chownSync(folder, 12_345, 12_345);
  }
  expect(() => refuseRoot(env, 0)).toThrow(/^Run this as the user who owns /);
  expect(() => refuseRoot(env, owner + 1)).not.toThrow();
});

test.each([
  ["25006", /^The database is read only/],
  ["42501", /^The database does not allow this role/],
  ["53300", /^The database gives no more connections/],
  ["53100", /^The disk of the database is full/],
])("what the database answers with %s is a sentence without a stack", (code, sentence) => {
  const cause = Object.assign(new Error("cannot execute INSERT"), { code });
  expect(describeFailure(new Error("Failed query", { cause }), { withStack: false })).toMatch(sentence);
  expect(describeFailure(new Error("Failed query", { cause }), { withStack: false })).not.toContain("\n");
});
