import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { connectFakeGateway } from "./remote.ts";
import { requestApi } from "./request-api.ts";

test("a fake gateway in another process is controlled with the same functions", async () => {
  const script = fileURLToPath(new URL("run.ts", import.meta.url));
  const child = spawn(process.execPath, [script, "--key-secret", "a-secret"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [line] = await once(createInterface(child.stdout), "line");
    const started: { url: string; keyId: string; keySecret: string } = JSON.parse(line);
    expect(started.keySecret).toBe("a-secret");
    const gateway = connectFakeGateway(started.url);
    const { body } = await requestApi(started, "POST /v1/orders", {
      amount: 100,
      currency: "INR",
      receipt: "r",
    });
    const orderId = String(body.id);

    await gateway.webhooks.configure({ mode: "hold" });
    const { razorpay_payment_id: paymentId } = await gateway.pay(orderId, { amountPaise: 200 });
    expect(await gateway.paymentsOf(orderId)).toMatchObject([{ paymentId, amountPaise: 200 }]);
    expect(await gateway.totals()).toMatchObject({ capturedPaise: 200 });
    await expect(gateway.pay(orderId)).rejects.toThrow("already paid");
    expect((await gateway.webhooks.events()).map(({ type }) => type)).toContain("payment.captured");

    await gateway.faults.add({ match: "order", what: "gate", gate: "g", times: 1 });
    const asked = requestApi(started, `GET /v1/orders/${orderId}`);
    await gateway.faults.waitFor("order");
    await gateway.faults.release("g");
    expect((await asked).body).toMatchObject({ status: "paid" });
    await expect(Reflect.get(gateway, "explode")()).rejects.toThrow("no such function");
    const noRule = fetch(`${started.url}/control/faults.add`, {
      method: "POST",
      body: '[{"what":"explode"}]',
    });
    expect((await noRule).status).toBe(400);
  } finally {
    child.kill();
  }
});
