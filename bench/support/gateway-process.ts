import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { z } from "zod";
import { connectFakeGateway, type RemoteFakeGateway } from "#tests/fake-gateway/remote.ts";
import { ROOT } from "./shop-process.ts";

const ready = z.object({
  url: z.string(),
  keyId: z.string(),
  keySecret: z.string(),
  webhookSecret: z.string(),
});

/** The fake gateway in its own process. */
export interface GatewayProcess extends z.infer<typeof ready> {
  child: ChildProcess;
  control: RemoteFakeGateway;
  /** Environment of a shop that uses this gateway. */
  env: Record<string, string>;
}

/** @param webhookUrl where webhooks are sent; none are sent when unset */
export async function startGateway(webhookUrl?: string): Promise<GatewayProcess> {
  const file = "tests/fake-gateway/run.ts";
  const child = spawn(process.execPath, [file, ...(webhookUrl ? ["--webhook-url", webhookUrl] : [])], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(createInterface(child.stdout), "line");
  const started = ready.parse(JSON.parse(String(line)));
  const env = {
    RAZORPAY_KEY_ID: started.keyId,
    RAZORPAY_KEY_SECRET: started.keySecret,
    RAZORPAY_WEBHOOK_SECRET: started.webhookSecret,
    RAZORPAY_API_URL: started.url,
  };
  return { ...started, child, control: connectFakeGateway(started.url), env };
}

export async function stopGateway({ child }: GatewayProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}
