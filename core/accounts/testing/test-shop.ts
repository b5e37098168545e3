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

/** A browser that stores the cookies it receives. */
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
  /** Names of the enqueued jobs, in order. */
  jobs: JobName[];
  /** Names of the triggered jobs, in order. */
  triggered: JobName[];
  /** How many queries were sent to the database so far. */
  queries(): number;
  ctx(actor: Actor, browser?: TestBrowser, ports?: Partial<Ports>): Context;
  visitor(browser?: TestBrowser): Context;
  system(ports?: Partial<Ports>): Context;
  /** The context of a request with the cookies of this browser. */
  as(browser: TestBrowser): Promise<Context>;
}

/** A shop on its own fresh database, with the real authenticator, rate limiter and mail templates. */
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
    // Generous, so that no other test depends on the speed of hashing.
    hashLimits: options.hashLimits ?? { running: 2, waiting: 100, waitMs: 60_000 },
  });
  const jobs: JobName[] = [];
  const triggered: JobName[] = [];
  const ports: Ports = {
    authenticator,
    rateLimiter: createPostgresRateLimiter({ pool, perAddressFactor: options.perAddressFactor ?? 1 }),
    mailTemplates: reactMailTemplates,
    mailTransport: options.mailTransport ?? null,
    gateway: null,
    cipher: { seal: unused, open: unused, lookupHash: unused },
    jobs: {
      enqueue: async (_executor, name) => void jobs.push(name),
      triggerSoon: (name) => void triggered.push(name),
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
    triggered,
    queries: () => queries,
    ctx,
    visitor: (browser = new TestBrowser()) => ctx({ kind: "visitor" }, browser),
    system: (others) => ctx({ kind: "system" }, undefined, others),
    as: async (browser) => ctx((await resolveActor(authenticator, db, browser)).actor, browser),
  };
}

function unused(): never {
  throw new Error("accounts do not use the cipher");
}
