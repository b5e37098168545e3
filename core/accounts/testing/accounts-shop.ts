import { afterAll } from "vitest";
import type { HashCost, HashQueueLimits } from "#adapters/better-auth/password-hash.ts";
import { reactMailTemplates } from "#adapters/mail-templates/react-mail-templates.tsx";
import { freshDatabase } from "../../../tools/testing/database.ts";
import { openTestShop } from "../../../tools/testing/open-test-shop.ts";
import type { Actor, Context, Ports } from "../../context.ts";
import type { MailTransport } from "../../mail/mail-templates.ts";
import { systemClock } from "../../time.ts";
import { resolveActor } from "../sessions.server.ts";

export const ADMIN_EMAIL = "owner@shop.example";
export const ORIGIN = "https://shop.example";

/** The browser of one person. It keeps cookies as a real one does. */
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

/** The test shop on a new database, at the real time, with the real mail templates. It closes after the suite. */
export async function openAccountsShop(
  options: {
    perAddressFactor?: number;
    mailTransport?: MailTransport;
    connections?: number;
    hashLimits?: HashQueueLimits;
    hashCost?: HashCost;
  } = {},
) {
  const { mailTransport = null, ...others } = options;
  const shop = openTestShop(await freshDatabase(), {
    // No test depends on how fast the machine hashes, unless it is about that.
    hashLimits: { running: 2, waiting: 100, waitMs: 60_000 },
    ...others,
    clock: systemClock,
    origin: ORIGIN,
    adminEmail: ADMIN_EMAIL,
    ports: { mailTransport, mailTemplates: reactMailTemplates, cipher: unusedCipher },
  });
  afterAll(() => shop.close());
  let queries = 0;
  shop.pool.on("acquire", () => {
    queries += 1;
  });
  const ctx = (actor: Actor, browser?: TestBrowser, ports: Partial<Ports> = {}): Context => ({
    ...shop.contextFor(actor),
    ports: { ...shop.ports, ...ports },
    ...(browser && { browser }),
  });
  return {
    db: shop.db,
    /** Of the database. */
    url: shop.url,
    authenticator: shop.ports.authenticator,
    /** Names of the jobs that were triggered, in order. */
    triggeredJobs: shop.triggeredJobs,
    /** How many queries the database was sent so far. */
    queries: () => queries,
    ctx,
    visitor: (browser = new TestBrowser()) => ctx({ kind: "visitor" }, browser),
    system: (ports?: Partial<Ports>) => ctx({ kind: "system" }, undefined, ports),
    /** The context of whoever is signed in in this browser. */
    as: async (browser: TestBrowser) =>
      ctx((await resolveActor(ctx({ kind: "visitor" }, browser))).actor, browser),
  };
}

const unusedCipher: Ports["cipher"] = {
  seal: refuse,
  newestPrefix: refuse,
  open: refuse,
  lookupHash: refuse,
};

function refuse(): never {
  throw new Error("accounts do not use the cipher");
}
