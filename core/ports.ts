import type { Authenticator } from "./accounts/authenticator.ts";
import type { IdentityProvider } from "./accounts/identity-provider.ts";
import type { Health } from "./health/health-check.ts";
import type { MailTemplates, MailTransport } from "./mail/mail-templates.ts";
import type { PaymentGateway } from "./payments/payment-gateway.ts";
import type { RateLimiter } from "./rate-limits/rate-limits.ts";

/** The interfaces of core to the outside. Interfaces of one domain are in its folder. */
export interface Ports {
  authenticator: Authenticator;
  catalogueVersion: CatalogueVersion;
  cipher: Cipher;
  commands: Commands;
  deleteImportFiles: DeleteImportFiles;
  /** null: payments are not set up. */
  gateway: PaymentGateway | null;
  /** The health checks of this process. */
  health: Health;
  /** Google, or another OpenID provider in its place; null: none is configured. */
  identityProvider: IdentityProvider | null;
  jobs: Jobs;
  mailTemplates: MailTemplates;
  /** null: no mail server is set; mail stays in the outbox. */
  mailTransport: MailTransport | null;
  rateLimiter: RateLimiter;
}

/** Each job is an operation that scans our own rows and may run again at any time. */
export type JobName =
  | "reconcile-orders"
  | "read-restored-orders"
  | "read-payers"
  | "process-webhook-events"
  | "process-refunds"
  | "read-disputes"
  | "expire-holds"
  | "send-mail"
  | "audit-ledger"
  | "tell-owner"
  | "tell-of-stock"
  | "remind-buyers"
  | "run-bulk-actions"
  | "purge-expired"
  | "recount-stock"
  | "back-up";

export interface Jobs {
  /**
   * Runs `name` soon in this process, without waiting; call it after the commit that made the work. Triggers during a run
   * become one more run after it. Without a trigger the work waits for the next run, a minute at most.
   */
  triggerSoon(name: JobName): void;
}

/** Commands of the owner, each in a process of its own with the settings of this one, because they need much memory. */
export interface Commands {
  /**
   * Runs a command to its end. It ends with this process at the latest.
   *
   * @param onLine called with each line that it prints
   * @returns its exit code; 128 plus the number of a signal that ended it
   */
  run(name: "backup", args: readonly string[], onLine: (line: string) => void): Promise<number>;
}

/**
 * Deletes what is older in the folder of imports: reports by one moment; by another, what a killed import has unpacked, and the
 * uploads of an older version.
 */
export type DeleteImportFiles = (moments: { reports: Date; leftovers: Date }) => Promise<void>;

/**
 * The column and row that hold a sealed value. They are authenticated with it, so a sealed value that was copied to
 * another row or column cannot be opened.
 */
export interface SealedPlace {
  table: string;
  rowId: string;
  column: string;
}

/** Encrypts secrets at rest (AES-256-GCM, random nonce, key id in the sealed value). */
export interface Cipher {
  seal(plain: string, place: SealedPlace): string;
  /** @throws Error when the value was changed, moved, or sealed with an unknown key */
  open(sealed: string, place: SealedPlace): string;
  /** How every value begins that is sealed with the newest key. */
  newestPrefix(): string;
  /** Keyed hash (hex) for finding a secret by its value. Case and outer spaces count. */
  lookupHash(plain: string): string;
}

/**
 * Returns a number that grows with every change of the catalogue or the settings, in any process; null while changes are
 * not heard. What was read while it had one value is true while it has the same value.
 */
export type CatalogueVersion = () => number | null;
