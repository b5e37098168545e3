import type { Database } from "#db/database.ts";
import type { Authenticator, BrowserRequest } from "./accounts/authenticator.ts";
import type { Jobs } from "./jobs.ts";
import type { MailTemplates, MailTransport } from "./mail/mail-templates.ts";
import type { PaymentGateway } from "./payments/payment-gateway.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import type { Clock } from "./time.ts";
import type { Cipher } from "./vault/cipher.ts";

/** Who acts. `system` is the shop itself: jobs, webhooks, start-up. */
export type Actor =
  | { kind: "visitor" }
  | { kind: "user"; userId: string; email: string; sessionId: string }
  | { kind: "admin"; userId: string; email: string; sessionId: string }
  | { kind: "system" };

export interface Log {
  debug(facts: object, message: string): void;
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** The outside world, as the shop's rules see it. */
export interface Ports {
  authenticator: Authenticator;
  cipher: Cipher;
  /** null: payments are not set up. */
  gateway: PaymentGateway | null;
  jobs: Jobs;
  mailTemplates: MailTemplates;
  /** null: no mail server; mail stays readable in the outbox. */
  mailTransport: MailTransport | null;
  rateLimiter: RateLimiter;
}

/** What the owner set from outside. `origin` is the shop's public address without a trailing slash. */
export interface StoreConfig {
  origin: string;
  timeZone: string;
  adminEmail: string;
  /** Set from the environment; null leaves the choice to the store's settings. */
  supportPhones: readonly string[] | null;
  dealsChannelUrl: string | null;
  demoVideoUrl: string | null;
  /** Scales every limit that counts per address; 0 turns those off. */
  perAddressFactor: number;
}

/** Everything a verb works with. One per request or job run. */
export interface Context {
  actor: Actor;
  db: Database;
  clock: Clock;
  ports: Ports;
  store: StoreConfig;
  log: Log;
  requestId: string;
  /** The browser behind the request; absent for jobs and start-up. */
  browser?: BrowserRequest;
}
