import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "#tests/free-port.ts";
import { installPackages } from "../../bin/install-packages.ts";

/** Fewer connections than the shops have, so that one connection of theirs meets several of the database. */
const POOL_SIZE = 6;
const NOBODY = 65_534;

/** A pooler in transaction mode before a database. Installs the Debian package where it is missing. */
export async function startPgBouncer(databaseUrl: string): Promise<{ url: string; stop(): Promise<void> }> {
  await requirePgBouncer();
  const folder = mkdtempSync(join(tmpdir(), "daypass-pgbouncer-"));
  chmodSync(folder, 0o755);
  const file = join(folder, "pgbouncer.ini");
  const port = await freePort();
  const { hostname, port: databasePort, username, password, pathname } = new URL(databaseUrl);
  const database = pathname.slice(1);
  const target = {
    host: hostname,
    port: databasePort,
    dbname: database,
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
  };
  const connection = Object.entries(target).map(([name, value]) => `${name}='${value}'`);
  const settings = {
    listen_addr: "127.0.0.1",
    listen_port: port,
    unix_socket_dir: "",
    auth_type: "any",
    pool_mode: "transaction",
    default_pool_size: POOL_SIZE,
    ignore_startup_parameters:
      "extra_float_digits,options,statement_timeout,lock_timeout,idle_in_transaction_session_timeout",
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  writeFileSync(
    file,
    `[databases]\n${database} = ${connection.join(" ")}\n[pgbouncer]\n${lines.join("\n")}\n`,
  );
  // It refuses to run as root.
  const asNobody = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const child = spawn("/usr/sbin/pgbouncer", ["--quiet", file], {
    stdio: ["ignore", "ignore", "inherit"],
    ...asNobody,
  });
  while (!(await listens(port))) {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended with ${child.exitCode}`);
    await delay(50);
  }
  const url = new URL(databaseUrl);
  url.hostname = "127.0.0.1";
  url.port = String(port);
  return {
    url: url.href,
    stop: async () => {
      const ended = once(child, "exit");
      child.kill("SIGINT");
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

async function requirePgBouncer(): Promise<void> {
  const isInstalled = () => spawnSync("/usr/sbin/pgbouncer", ["--version"]).status === 0;
  if (!isInstalled()) await installPackages(["pgbouncer"], (line) => console.log(line));
  if (!isInstalled()) throw new Error("PgBouncer could not be installed: install the package pgbouncer.");
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("connect", () => resolve(true)).on("connect", () => socket.end());
    socket.on("error", () => resolve(false));
  });
}
