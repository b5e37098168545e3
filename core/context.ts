import type { Database } from "#db/database.ts";
import type { Authenticator, BrowserRequest } from "./accounts/authenticator.ts";
import type { IdentityProvider } from "./accounts/identity-provider.ts";
import type { CatalogueVersion } from "./catalog/catalogue-version.ts";
import type { Jobs } from "./jobs.ts";
import type { MailTemplates, MailTransport } from "./mail/mail-templates.ts";
import type { PaymentGateway } from "./payments/payment-gateway.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import type { Clock } from "./time.ts";
import type { Cipher } from "./vault/cipher.ts";

/**
 * Who acts. `system` runs jobs, webhooks and the start-up. `passwordEnteredAt`: when the password was last entered in
 * this session; null or absent: not in this session.
 */
export type Actor =
  | { kind: "visitor" }
  | { kind: "user"; userId: string; email: string; sessionId: string }
  | {
      kind: "admin";
      userId: string;
      email: string;
      sessionId: string;
      passwordEnteredAt?: Date | null;
    }
  | { kind: "system" };

export interface Log {
  debug(facts: object, message: string): void;
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** The interfaces of core to the outside. */
export interface Ports {
  authenticator: Authenticator;
  catalogueVersion: CatalogueVersion;
  cipher: Cipher;
  /** null: payments are not set up. */
  gateway: PaymentGateway | null;
  /** Google, or another OpenID provider in its place; null: none is configured. */
  identityProvider: IdentityProvider | null;
  jobs: Jobs;
  mailTemplates: MailTemplates;
  /** null: no mail server is set; mail stays in the outbox. */
  mailTransport: MailTransport | null;
  rateLimiter: RateLimiter;
}

/** Settings from the environment. */
export interface StoreConfig {
  /** The public origin of the shop, without a trailing slash. */
  origin: string;
  timeZone: string;
  adminEmail: string;
  /** null, as in the next two: the store settings in the database apply. */
  supportPhones: readonly string[] | null;
  dealsChannelUrl: string | null;
  demoVideoUrl: string | null;
  /** Scales the limits that count per address; 0 turns them off. */
  perAddressFactor: number;
}

/** Everything an operation works with. One for each request or job run. */
export interface Context {
  actor: Actor;
  db: Database;
  clock: Clock;
  ports: Ports;
  store: StoreConfig;
  log: Log;
  requestId: string;
  /** Absent for jobs and start-up. */
  browser?: BrowserRequest;
}
