import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { z } from "zod";
import { connectFakeGateway, type RemoteFakeGateway } from "../tools/testing/fake-gateway/remote.ts";
import { ROOT } from "./shop-process.ts";

const ready = z.object({
  url: z.string(),
  keyId: z.string(),
  keySecret: z.string(),
  webhookSecret: z.string(),
});

/** The fake of the real gateway in a process of its own. */
export interface GatewayProcess extends z.infer<typeof ready> {
  child: ChildProcess;
  control: RemoteFakeGateway;
  /** What makes a shop use it. */
  env: Record<string, string>;
}

/** @param webhookUrl where its webhooks go; nowhere when unset */
export async function startGateway(webhookUrl?: string): Promise<GatewayProcess> {
  const file = "tools/testing/fake-gateway/run.ts";
  const child = spawn(process.execPath, [file, ...(webhookUrl ? ["--webhook-url", webhookUrl] : [])], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(createInterface(child.stdout), "line");
  const told = ready.parse(JSON.parse(String(line)));
  const env = {
    RAZORPAY_KEY_ID: told.keyId,
    RAZORPAY_KEY_SECRET: told.keySecret,
    RAZORPAY_WEBHOOK_SECRET: told.webhookSecret,
    RAZORPAY_API_URL: told.url,
  };
  return { ...told, child, control: connectFakeGateway(told.url), env };
}

export async function stopGateway({ child }: GatewayProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}
