import type { WebhookEvent } from "#core/payments/payment-gateway.ts";
import { openDatabase } from "#db/database.ts";
import { type ReceivedWebhook, startSandboxServer } from "../../../tools/testing/sandbox-server.ts";

export interface Delivery extends ReceivedWebhook {
  /** null when the signature is wrong. */
  event: WebhookEvent | null;
}

/** The sandbox gateway and an endpoint that receives its webhooks, on one loopback server as in production. */
export async function startLoopbackShop(databaseUrl: string) {
  const { db, close } = openDatabase(databaseUrl, { onBrokenConnection: () => {} });
  const deliveries: Delivery[] = [];
  let answer: () => Response | Promise<Response> = () => new Response(null, { status: 204 });
  const server = await startSandboxServer({
    onWebhook(webhook) {
      deliveries.push({ ...webhook, event: server.gateway.parseWebhook(webhook) });
      return answer();
    },
  });
  const sandbox = server.serveSandbox(db);
  return {
    db,
    base: server.address,
    gateway: server.gateway,
    sandbox,
    deliveries,
    /** How the endpoint answers webhooks from now on. */
    answerWebhooks: (next: () => Response | Promise<Response>) => {
      answer = next;
    },
    choose: server.choose,
    async stop() {
      await sandbox.stopDelivery();
      await server.stop();
      await close();
    },
  };
}
