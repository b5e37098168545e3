import type { BrowserRequest } from "./accounts/authenticator.ts";
import type { Ports } from "./ports.ts";
import type { Clock } from "./time.ts";

/**
 * Who acts. `system` runs jobs, webhooks and the start-up. `passwordEnteredAt`: when the password was last entered in
 * this session; null or absent: not in this session. `mustChangePassword`: the admin may do nothing else first.
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
      mustChangePassword?: boolean;
    }
  | { kind: "system" };

export interface Log {
  debug(facts: object, message: string): void;
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
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
  /** Where buyers install the browser extension besides the downloads; null: nowhere. */
  extensionStoreUrl: string | null;
  /** Scales the limits that count per address; 0 turns them off. */
  perAddressFactor: number;
  backups: {
    /** Whether the shop makes a backup every night. */
    isNightly: boolean;
    /** Whether backups are encrypted and have the keys. */
    isEncrypted: boolean;
    /** Absolute. */
    folder: string;
    /** Host, bucket and folder of the S3 store that gets a copy; null: none does. */
    copiesTo: string | null;
  };
}

/**
 * Everything an operation works with. One for each request or job run. Nothing can be read or written through its `db`
 * before a function of `authorise.ts` has said that the actor may run the operation.
 */
export interface Context {
  actor: Actor;
  readonly db: object;
  clock: Clock;
  ports: Ports;
  store: StoreConfig;
  log: Log;
  requestId: string;
  /** The bulk action whose row is being worked on: each audit event names it. */
  bulkActionId?: string;
  /** Absent for jobs and start-up. */
  browser?: BrowserRequest;
}
