import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { z } from "zod";
import { freePorts } from "./shop-cluster.ts";
import { ROOT } from "./shop-process.ts";

const HOST = "127.0.0.1";
const PASSWORD = "a-password-of-the-bench";
const NODES = ["node1", "node2"] as const;
const BIN = "/usr/lib/postgresql/15/bin";
const PROGRAMS = {
  "/usr/bin/etcd": "etcd-server",
  "/usr/bin/patroni": "patroni",
  "/usr/sbin/haproxy": "haproxy",
  "/usr/sbin/pgbouncer": "pgbouncer",
  [`${BIN}/postgres`]: "postgresql-15",
};
const READY_WITHIN_MS = 90_000;

export type NodeName = (typeof NODES)[number];

const membersSchema = z.object({
  members: z.array(z.object({ name: z.enum(NODES), role: z.string(), state: z.string() })),
});

/** A program that runs as the account of PostgreSQL, as a service manager would run it. */
export class Service {
  readonly #command: readonly [string, ...string[]];
  readonly #logFile: string;
  #child: ChildProcess | undefined;

  constructor(command: readonly [string, ...string[]], logFile: string) {
    this.#command = command;
    this.#logFile = logFile;
  }

  start(): void {
    const [program, ...args] = this.#command;
    const log = openSync(this.#logFile, "a");
    const env = { PATH: process.env.PATH, LANG: "C.UTF-8" };
    this.#child = spawn(program, args, { stdio: ["ignore", log, log], cwd: tmpdir(), env, ...account() });
  }

  /** 0 when it was not started. */
  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  }
}

/** Two PostgreSQL servers under Patroni, with etcd, PgBouncer and HAProxy, as deploy/cluster sets them up. */
export interface PostgresCluster {
  /** Through HAProxy, to the primary. */
  directUrl: string;
  /** Through PgBouncer and HAProxy. */
  pooledUrl: string;
  /** HAProxy's address for the shops. */
  shopUrl: string;
  pooler: Service;
  haproxy: Service;
  patroni: Record<NodeName, Service>;
  /** Resolves to the primary once it has a synchronous standby. */
  whenRedundant(): Promise<NodeName>;
  postmasterOf(node: NodeName): number;
  switchOver(from: NodeName): Promise<void>;
  stop(): Promise<void>;
}

/** @throws Error that names the missing packages */
export async function startPostgresCluster(shopPorts: readonly number[]): Promise<PostgresCluster> {
  requirePrograms();
  const folder = mkdtempSync(join(tmpdir(), "daypass-cluster-"));
  chmodSync(folder, 0o755);
  own(folder);
  const [etcdPort = 0, peerPort, poolerPort, primaryPort, shopPort, ...nodePorts] = await freePorts(9);
  const nodes = NODES.map((name, n) => {
    return { name, postgresPort: nodePorts[n] ?? 0, patroniPort: nodePorts[n + 2] ?? 0 };
  });
  const values = clusterValues({ folder, shopPorts, nodes, poolerPort, primaryPort, shopPort, etcdPort });
  const write = (name: string, text: string) => {
    const file = join(folder, name);
    writeFileSync(file, text, { mode: 0o600 });
    own(file);
    return file;
  };
  const configure = (template: string, name = template, more: Record<string, string | number> = {}) => {
    const text = readFileSync(join(ROOT, "deploy/cluster", template), "utf8");
    return write(name, fill(text, { ...values, ...more }));
  };
  const service = (name: string, ...command: [string, ...string[]]) =>
    new Service(command, join(folder, `${name}.log`));

  write("userlist.txt", `"daypass" "${PASSWORD}"\n`);
  const etcdUrl = `http://${HOST}:${etcdPort}`;
  const peerUrl = `http://${HOST}:${peerPort}`;
  const etcd = service(
    "etcd",
    "/usr/bin/etcd",
    ...[
      "--data-dir",
      join(folder, "etcd"),
      "--listen-client-urls",
      etcdUrl,
      "--advertise-client-urls",
      etcdUrl,
    ],
    ...["--listen-peer-urls", peerUrl, "--initial-advertise-peer-urls", peerUrl],
    ...["--initial-cluster", `default=${peerUrl}`, "--logger", "zap", "--log-level", "warn"],
  );
  const patroniServices = nodes.map(({ name, postgresPort, patroniPort }) => {
    const socketDir = join(folder, `${name}-socket`);
    mkdirSync(socketDir);
    own(socketDir);
    const file = configure("patroni.yml", `${name}.yml`, {
      NODE_NAME: name,
      POSTGRES_PORT: postgresPort,
      PATRONI_PORT: patroniPort,
      DATA_DIR: join(folder, name),
      PGPASS_FILE: join(folder, `${name}.pgpass`),
      SOCKET_DIR: socketDir,
    });
    return service(name, "/usr/bin/patroni", file);
  });
  const [node1, node2] = patroniServices;
  if (!node1 || !node2) throw new Error("the cluster has two nodes");
  const patroni = { node1, node2 };
  const pooler = service("pgbouncer", "/usr/sbin/pgbouncer", configure("pgbouncer.ini"));
  const haproxy = service("haproxy", "/usr/sbin/haproxy", "-db", "-f", configure("haproxy.cfg"));
  const urlAt = (user: string, port: number | undefined, database: string) =>
    `postgres://${user}:${PASSWORD}@${HOST}:${port}/${database}`;

  const stop = async () => {
    await pooler.end("SIGINT");
    await haproxy.end("SIGTERM");
    await Promise.all(patroniServices.map((one) => one.end("SIGTERM")));
    await etcd.end("SIGTERM");
    rmSync(folder, { recursive: true, force: true });
  };
  const readMembers = async () => {
    for (const { patroniPort } of nodes) {
      const response = await fetch(`http://${HOST}:${patroniPort}/cluster`, {
        signal: AbortSignal.timeout(2000),
      }).catch(() => undefined);
      const found = membersSchema.safeParse(await response?.json().catch(() => undefined));
      if (found.success)
        return found.data.members.filter(({ state }) => ["running", "streaming"].includes(state));
    }
    return [];
  };
  const whenRedundant = () =>
    until("a primary with a synchronous standby", async () => {
      const members = await readMembers();
      if (!members.some(({ role }) => role === "sync_standby")) return undefined;
      return members.find(({ role }) => role === "leader")?.name;
    });
  try {
    etcd.start();
    await until("etcd", async () => (await fetch(`${etcdUrl}/health`).catch(() => undefined))?.ok);
    node1.start();
    await until("the first primary", async () => (await readMembers()).some(({ role }) => role === "leader"));
    node2.start();
    haproxy.start();
    pooler.start();
    await until("a database", () => createDatabase(urlAt("postgres", primaryPort, "postgres")));
    await whenRedundant();
  } catch (error) {
    for (const name of ["etcd", ...NODES, "haproxy", "pgbouncer"])
      console.error(`${name}:\n${lastLines(join(folder, `${name}.log`))}`);
    await stop();
    throw error;
  }
  return {
    directUrl: urlAt("daypass", primaryPort, "daypass"),
    pooledUrl: urlAt("daypass", poolerPort, "daypass"),
    shopUrl: `http://${HOST}:${shopPort}`,
    pooler,
    haproxy,
    patroni,
    whenRedundant,
    postmasterOf: (node) => Number(readFileSync(join(folder, node, "postmaster.pid"), "utf8").split("\n")[0]),
    switchOver: async (from) => {
      const to = NODES.find((name) => name !== from) ?? from;
      const file = join(folder, `${from}.yml`);
      const names = ["daypass", "--leader", from, "--candidate", to, "--force"];
      await promisify(execFile)("/usr/bin/patronictl", ["-c", file, "switchover", ...names], {
        timeout: 60_000,
      });
    },
    stop,
  };
}

function clusterValues(from: {
  folder: string;
  shopPorts: readonly number[];
  nodes: readonly { postgresPort: number; patroniPort: number }[];
  poolerPort: number | undefined;
  primaryPort: number | undefined;
  shopPort: number | undefined;
  etcdPort: number;
}): Record<string, string | number> {
  const ofShops = [0, 1, 2].map((n) => [`SHOP_${n + 1}`, `${HOST}:${from.shopPorts[n]}`]);
  const ofNodes = from.nodes.flatMap(({ postgresPort, patroniPort }, n) => [
    [`NODE_${n + 1}_POSTGRES`, `${HOST}:${postgresPort}`],
    [`NODE_${n + 1}_PATRONI_PORT`, patroniPort],
  ]);
  return {
    ...Object.fromEntries([...ofShops, ...ofNodes]),
    SHOP_ADDRESS: `${HOST}:${from.shopPort}`,
    PRIMARY_ADDRESS: `${HOST}:${from.primaryPort}`,
    PRIMARY_HOST: HOST,
    PRIMARY_PORT: from.primaryPort ?? 0,
    POOLER_HOST: HOST,
    POOLER_PORT: from.poolerPort ?? 0,
    USER_LIST: join(from.folder, "userlist.txt"),
    NODE_HOST: HOST,
    NETWORK: `${HOST}/32`,
    ETCD_HOSTS: `${HOST}:${from.etcdPort}`,
    DAYPASS_PASSWORD: PASSWORD,
    POSTGRES_PASSWORD: PASSWORD,
    REPLICATOR_PASSWORD: PASSWORD,
  };
}

/** Replaces every @NAME@. @throws Error for a name without a value */
function fill(template: string, values: Record<string, string | number>): string {
  return template.replace(/@([A-Z][A-Z0-9_]+)@/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`@${name}@ of deploy/cluster has no value`);
    return String(value);
  });
}

async function createDatabase(url: string): Promise<true | undefined> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("create database daypass owner daypass");
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "42P04" ? true : undefined;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Waits until `find` finds something. @throws Error that says what was missing */
export async function until<T>(
  what: string,
  find: () => Promise<T | false | undefined>,
  withinMs = READY_WITHIN_MS,
): Promise<T> {
  const end = performance.now() + withinMs;
  while (performance.now() < end) {
    const found = await find();
    if (found !== undefined && found !== false) return found;
    await delay(100);
  }
  throw new Error(`there was no sign of ${what} within ${withinMs / 1000} seconds`);
}

function requirePrograms(): void {
  const missing = Object.entries(PROGRAMS).flatMap(([file, name]) => (existsSync(file) ? [] : [name]));
  if (missing.length > 0)
    throw new Error(
      `This bench needs the Debian packages ${missing.join(", ")}: install them, without their services.`,
    );
}

/** PostgreSQL and PgBouncer refuse to run as root. */
function account(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: idOf("-u"), gid: idOf("-g") };
}

function own(path: string): void {
  const { uid, gid } = account();
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}

function lastLines(file: string): string {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(-15).join("\n") : "";
}
