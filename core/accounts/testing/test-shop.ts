import { afterAll } from "vitest";
import { createBetterAuthAuthenticator } from "#adapters/better-auth/better-auth-authenticator.ts";
import type { HashQueueLimits } from "#adapters/better-auth/hash-queue.ts";
import { reactMailTemplates } from "#adapters/mail-templates/react-mail-templates.tsx";
import { createPostgresRateLimiter } from "#adapters/rate-limiter/postgres-rate-limiter.ts";
import { type Database, openDatabase } from "#db/database.ts";
import { freshDatabase } from "../../../tools/testing/database.ts";
import type { Actor, Context, Ports } from "../../context.ts";
import type { JobName } from "../../jobs.ts";
import type { MailTransport } from "../../mail/mail-templates.ts";
import type { Authenticator } from "../authenticator.ts";
import { resolveActor } from "../resolve-actor.server.ts";

export const ADMIN_EMAIL = "owner@shop.example";
export const ORIGIN = "https://shop.example";

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** A browser of one person: keeps the cookies it is given, as a real one would. */
export class TestBrowser {
  readonly cookies = new Map<string, string>();
  readonly ipAddress: string;

  constructor(ipAddress = "203.0.113.7") {
    this.ipAddress = ipAddress;
  }

  keep(setCookies: readonly string[]): void {
    for (const line of setCookies) {
      const [pair = "", ...attributes] = line.split(";");
      const at = pair.indexOf("=");
      const gone = attributes.some((attribute) => attribute.trim().toLowerCase() === "max-age=0");
      if (gone) this.cookies.delete(pair.slice(0, at));
      else this.cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
  }

  get headers(): Headers {
    const headers = new Headers({ "user-agent": "Test" });
    if (this.cookies.size > 0)
      headers.set("cookie", [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    return headers;
  }
}

export interface TestShop {
  db: Database;
  authenticator: Authenticator;
  /** Names of the jobs asked for, in order. */
  jobs: JobName[];
  /** Names of the jobs to run soon, in order. */
  nudged: JobName[];
  /** How many queries the database was sent so far. */
  queries(): number;
  ctx(actor: Actor, browser?: TestBrowser, ports?: Partial<Ports>): Context;
  visitor(browser?: TestBrowser): Context;
  system(ports?: Partial<Ports>): Context;
  /** The shop as the holder of this browser's cookies uses it. */
  as(browser: TestBrowser): Promise<Context>;
}

/** A shop on a database of the suite's own, with the real authenticator, limiter and templates. */
export async function openTestShop(
  options: {
    perAddressFactor?: number;
    mailTransport?: MailTransport;
    connections?: number;
    hashLimits?: HashQueueLimits;
  } = {},
): Promise<TestShop> {
  const own = await freshDatabase();
  const { db, pool, close } = openDatabase(own.url, {
    max: options.connections ?? 20,
    onBrokenConnection: () => undefined,
  });
  afterAll(async () => {
    await close();
    await own.drop();
  });
  let queries = 0;
  pool.on("acquire", () => {
    queries += 1;
  });
  const authenticator = createBetterAuthAuthenticator({
    db,
    secret: "a-secret-for-tests-0123456789abcdefghijklmnop",
    origin: ORIGIN,
    secureCookies: true,
    log: quiet,
    // No test depends on how fast the machine hashes, unless it is about that.
    hashLimits: options.hashLimits ?? { running: 2, waiting: 100, waitMs: 60_000 },
  });
  const jobs: JobName[] = [];
  const nudged: JobName[] = [];
  const ports: Ports = {
    authenticator,
    rateLimiter: createPostgresRateLimiter({ pool, perAddressFactor: options.perAddressFactor ?? 1 }),
    mailTemplates: reactMailTemplates,
    mailTransport: options.mailTransport ?? null,
    gateway: null,
    cipher: { seal: unused, open: unused, lookupHash: unused },
    jobs: {
      enqueue: async (_executor, name) => void jobs.push(name),
      triggerSoon: (name) => void nudged.push(name),
    },
  };
  const ctx: TestShop["ctx"] = (actor, browser, others = {}) => ({
    actor,
    db,
    ports: { ...ports, ...others },
    clock: { now: () => new Date() },
    store: {
      origin: ORIGIN,
      timeZone: "Asia/Kolkata",
      adminEmail: ADMIN_EMAIL,
      supportPhones: null,
      dealsChannelUrl: null,
      demoVideoUrl: null,
      perAddressFactor: 1,
    },
    log: quiet,
    requestId: "test",
    ...(browser && { browser }),
  });
  return {
    db,
    authenticator,
    jobs,
    nudged,
    queries: () => queries,
    ctx,
    visitor: (browser = new TestBrowser()) => ctx({ kind: "visitor" }, browser),
    system: (others) => ctx({ kind: "system" }, undefined, others),
    as: async (browser) => ctx((await resolveActor(authenticator, db, browser)).actor, browser),
  };
}

function unused(): never {
  throw new Error("accounts seal nothing");
}
