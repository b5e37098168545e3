/**
 * Runs the fake gateway as a process of its own, for benchmarks:
 * `node tests/fake-gateway/run.ts [--port 4100] [--webhook-url http://…] [--key-id …] [--key-secret …]
 * [--webhook-secret …]`. Prints one line of JSON with its address and keys when it is ready.
 */
import { parseArgs } from "node:util";
import { startFakeGateway } from "./fake-gateway.ts";

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    "webhook-url": { type: "string", default: "" },
    "webhook-secret": { type: "string", default: "fake-webhook-secret" },
    "key-id": { type: "string", default: "rzp_test_FakeGateway00" },
    "key-secret": { type: "string", default: "fake-key-secret" },
  },
});
const gateway = await startFakeGateway({
  port: Number(values.port),
  webhookUrl: values["webhook-url"],
  webhookSecret: values["webhook-secret"],
  keyId: values["key-id"],
  keySecret: values["key-secret"],
});
const { url, keyId, keySecret } = gateway;
console.log(JSON.stringify({ url, keyId, keySecret, webhookSecret: values["webhook-secret"] }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void gateway.close());
