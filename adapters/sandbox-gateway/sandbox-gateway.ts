import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { Log } from "#core/context.ts";
import type { Clock } from "#core/time.ts";
import type { Database } from "#db/database.ts";
import { errorBody, SandboxApiError } from "./api-error.ts";
import { apiRoutes } from "./api-routes.ts";
import { checkoutRoutes } from "./checkout-routes.ts";
import type { SandboxContext } from "./sandbox-context.ts";
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
  const context: SandboxContext = { db, clock, onQueued: delivery.wake };

  const app = new Hono();
  app.onError((error, c) => {
    if (error instanceof SandboxApiError) {
      return c.json(errorBody("BAD_REQUEST_ERROR", error.message, error.field ?? undefined), error.status);
    }
    log.error({ err: error }, "sandbox gateway failed");
    return c.json(errorBody("SERVER_ERROR", "The server encountered an error."), 500);
  });
  app.use(
    bodyLimit({
      maxSize: 64 * 1024,
      onError: (c) => c.json(errorBody("BAD_REQUEST_ERROR", "The request is too large."), 413),
    }),
  );
  app.route("/v1", apiRoutes(context, { keyId, keySecret }));
  app.route("/", checkoutRoutes(context, { keyId, keySecret }));
  return { app, startDelivery: delivery.start, stopDelivery: delivery.stop };
}
