// New accounts per second, over HTTP on the built shop: several people sign up at the same time, each again and again.
// Also what a visitor waits for the home page meanwhile. Prints the median of the runs.
// node bin/daypass.mjs exec bench/new-accounts.ts [people] [seconds per run] [runs]
import { randomUUID } from "node:crypto";
import { freePort } from "../tools/testing/free-port.ts";
import { type HttpResponse, LightHttp } from "./support/light-http.ts";
import { createDataDir, median, quantile, startShop, stopShop } from "./support/shop-process.ts";

const PEOPLE = Number(process.argv[2] ?? 8);
const SECONDS = Number(process.argv[3] ?? 10);
const RUNS = Number(process.argv[4] ?? 5);
const VISIT_EVERY_MS = 100;

const shop = await startShop({ dataDir: createDataDir(), port: await freePort() });
try {
  await run(3);
  const perSecond: number[] = [];
  for (let n = 1; n <= RUNS; n++) {
    const { signUps, visits } = await run(SECONDS);
    perSecond.push(signUps.length / SECONDS);
    console.log(
      `run ${n}: ${(signUps.length / SECONDS).toFixed(1)} new accounts/s, sign-up ${format(signUps)}, home page ${format(visits)}`,
    );
  }
  console.log(`median: ${median(perSecond).toFixed(1)} new accounts/s with ${PEOPLE} people at a time`);
} finally {
  await stopShop(shop);
}

async function run(seconds: number): Promise<{ signUps: number[]; visits: number[] }> {
  const http = new LightHttp(PEOPLE + 1);
  const signUps: number[] = [];
  const visits: number[] = [];
  const until = performance.now() + seconds * 1000;
  const repeat = async (times: number[], send: () => Promise<HttpResponse>, pauseMs: number) => {
    while (performance.now() < until) {
      const { status, ms } = await send();
      if (status !== 200) throw new Error(`a request was answered ${status}`);
      times.push(ms);
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  };
  await Promise.all([
    repeat(visits, () => http.get(`${shop.url}/`), VISIT_EVERY_MS),
    ...Array.from({ length: PEOPLE }, () => repeat(signUps, () => signUp(http), 0)),
  ]);
  http.close();
  return { signUps, visits };
}

function signUp(http: LightHttp): Promise<HttpResponse> {
  const account = { email: `${randomUUID()}@example.com`, password: "a-password-for-the-bench" };
  const headers = { origin: shop.url, "content-type": "application/json" };
  return http.post(`${shop.url}/api/auth/sign-up/email`, JSON.stringify(account), headers);
}

function format(times: number[]): string {
  return `p50 ${median(times).toFixed(0)} ms, p99 ${quantile(times, 0.99).toFixed(0)} ms`;
}
