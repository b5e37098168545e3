// Builds the image of deploy/Containerfile with Podman and runs it with a read-only root: size, time to ready, idle memory, a
// second container on the same volume, a purchase, a restart, a kill, a stop. Arguments go to podman build, such as
// --build-arg=BASE=localhost/debian:trixie-slim.
// node bin/daypass.mjs exec bench/container.ts [arguments]
import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../tests/free-port.ts";
import { Buyer, type SignedPayment } from "./support/shop-buyer.ts";
import { ROOT, readResidentMiB } from "./support/shop-process.ts";
import { step } from "./support/step.ts";

const IMAGE = "localhost/daypass-bench";
const NAME = `daypass-bench-${process.pid}`;
const port = await freePort();
const url = `http://localhost:${port}`;
const payments: { buyer: Buyer; payment: SignedPayment }[] = [];

await step("the image is built", async () => {
  const file = join(ROOT, "deploy", "Containerfile");
  podman("build", "--format=docker", `--file=${file}`, `--tag=${IMAGE}`, ...process.argv.slice(2), ROOT);
});
console.log(
  `    size: ${(Number(podman("image", "inspect", "-f", "{{.Size}}", IMAGE)) / 1e6).toFixed(0)} MB`,
);
try {
  await step("the first start of a container with a read-only root, without capabilities", async () => {
    const security = ["--read-only", "--tmpfs=/tmp", "--cap-drop=all", "--security-opt=no-new-privileges"];
    const settings = [`--env=ORIGIN=${url}`, "--env=LIMITS_PER_ADDRESS=0"];
    const place = [`--name=${NAME}`, `--volume=${NAME}:/data`, `--publish=127.0.0.1:${port}:3000`];
    podman("run", "--detach", "--init", "--stop-timeout=90", ...security, ...settings, ...place, IMAGE);
    await ready();
  });
  await step("the container has its own user, and writes to its volume only", async () => {
    expect(podman("exec", NAME, "id", "-u"), "10001");
    expect(podman("exec", NAME, "sh", "-c", "touch /srv/daypass/x 2> /dev/null || echo refused"), "refused");
  });
  await step("the health check of the image passes", async () => void podman("healthcheck", "run", NAME));
  await step("a second container with the same volume is refused", async () => {
    const other = spawnSync("podman", ["run", "--rm", "--read-only", `--volume=${NAME}:/data`, IMAGE], {
      encoding: "utf8",
      timeout: 60_000,
    });
    if (other.status !== 1 || !other.stderr.includes("The data in /data is in use"))
      throw new Error(`It ended with ${other.status}: ${other.stderr}`);
  });
  await step("a buyer buys a pass", buy);
  await step("a restart keeps it", async () => {
    podman("restart", NAME);
    await keepsEverything();
  });
  await step("kill -9 of the container, at the moment a second buyer has paid, loses nothing", async () => {
    await buy();
    podman("kill", "--signal=KILL", NAME);
    podman("start", NAME);
    await keepsEverything();
  });
  // The shop frees the memory of its start after ten seconds without requests.
  await delay(20_000);
  const pid = Number(podman("inspect", "-f", "{{.State.Pid}}", NAME));
  console.log(`    idle memory, with the database: ${readResidentMiB(pid)} MiB`);
  await step("a stop ends the shop and its database in order", async () => {
    podman("stop", NAME);
    expect(podman("inspect", "-f", "{{.State.ExitCode}}", NAME), "0");
  });
} catch (error) {
  console.log(podman("logs", "--tail=30", NAME));
  throw error;
} finally {
  podman("rm", "--force", "--volumes", NAME);
  podman("volume", "rm", "--force", NAME);
}

function podman(...args: string[]): string {
  return execFileSync("podman", args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}

async function ready(): Promise<void> {
  const until = performance.now() + 120_000;
  while (performance.now() < until) {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) }).catch(
      () => undefined,
    );
    if (response?.ok) return;
    await delay(50);
  }
  throw new Error("The shop is not ready after two minutes.");
}

async function buy(): Promise<void> {
  const buyer = new Buyer(url);
  await buyer.signUp();
  const order = await buyer.start("canva");
  if (!("orderId" in order)) throw new Error(`The purchase was refused: ${order.refused}`);
  const payment = await buyer.pay(order.orderId);
  expect(await buyer.confirm(payment), "success");
  payments.push({ buyer, payment });
}

/** Every buyer is still signed in and has the pass. */
async function keepsEverything(): Promise<void> {
  await ready();
  for (const { buyer, payment } of payments) expect(await buyer.confirm(payment), "success");
}

function expect(actual: string, expected: string): void {
  if (actual !== expected) throw new Error(`${actual} and not ${expected}`);
}
