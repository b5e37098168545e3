import type { Hono } from "hono";
import type { Log } from "#core/context.ts";
import type { Clock } from "#core/time.ts";
import type { Database } from "#db/database.ts";
import { addCheckoutPages } from "./checkout-routes.ts";
import { createGatewayApp } from "./gateway-app.ts";
import { createPostgresStore } from "./postgres-store.ts";
import { createWebhookDelivery } from "./webhook-delivery.ts";

export interface SandboxGatewayOptions {
  db: Database;
  keyId: string;
  keySecret: string;
  webhookSecret: string;
  /** Returns the absolute address of our own webhook endpoint. */
  deliverTo: () => string;
  log: Log;
  clock: Clock;
}

export interface SandboxGateway {
  /** `/v1/*` for the shop's server (Basic auth), the rest for the buyer's browser. May be mounted at any path. */
  app: Hono;
  startDelivery(): void;
  /** Resolves when the deliveries in progress have ended. */
  stopDelivery(): Promise<void>;
}

/**
 * The shop's own payment gateway, to try the shop without money. It implements Razorpay's API and stores its data only
 * in the sandbox tables. The shop uses it only through HTTP.
 */
export function createSandboxGateway(options: SandboxGatewayOptions): SandboxGateway {
  const { db, clock, log, keyId, keySecret, webhookSecret, deliverTo } = options;
  const delivery = createWebhookDelivery({ db, clock, log, webhookSecret, deliverTo });
  const store = createPostgresStore({ db, clock, onQueued: delivery.wake });
  const app = createGatewayApp({ store, clock, log, keyId, keySecret });
  addCheckoutPages(app, store, keyId);
  return { app, startDelivery: delivery.start, stopDelivery: delivery.stop };
}
