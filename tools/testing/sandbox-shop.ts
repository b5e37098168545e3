import { reactMailTemplates } from "#adapters/mail-templates/react-mail-templates.tsx";
import { freshDatabase } from "./database.ts";
import { createManualClock } from "./manual-clock.ts";
import { openTestShop } from "./open-test-shop.ts";
import { type ReceivedWebhook, startSandboxServer } from "./sandbox-server.ts";

/**
 * The test shop on a new database, with the sandbox gateway behind a real socket. Webhooks are recorded and not
 * processed.
 */
export async function startSandboxShop() {
  const webhooks: ReceivedWebhook[] = [];
  const server = await startSandboxServer({
    onWebhook(webhook) {
      webhooks.push(webhook);
      return Response.json({ ok: true });
    },
  });
  const shop = openTestShop(await freshDatabase(), {
    clock: createManualClock(),
    origin: server.address,
    namesStatements: true,
    ports: { gateway: server.gateway, mailTemplates: reactMailTemplates },
  });
  const sandbox = server.serveSandbox(shop.db);
  const choose = async (choice: "pay" | "fail", orderId: string): Promise<Record<string, string>> =>
    (await server.choose(choice, orderId)).json();

  return {
    ...shop,
    webhooks,
    sandbox,
    gatewayFaults: server.gatewayFaults,
    /** Pays an order in the sandbox's checkout. @returns what the browser sends to the shop then */
    async payAtGateway(orderId: string) {
      const proof = await choose("pay", orderId);
      return {
        orderId,
        paymentId: proof.razorpay_payment_id ?? "",
        signature: proof.razorpay_signature ?? "",
      };
    },
    failAtGateway: (orderId: string) => choose("fail", orderId),
    async close() {
      await sandbox.stopDelivery();
      await server.stop();
      await shop.close();
    },
  };
}

export type SandboxShop = Awaited<ReturnType<typeof startSandboxShop>>;
