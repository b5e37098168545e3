// 60 buyers at the same moment for the tool with 3 in stock, over HTTP, on the real product: exactly 3 passes.
// node bin/daypass.mjs exec bench/parallel-buyers.ts
import { Buyer } from "./shop-buyer.ts";
import { freePort, newDataDir, quantile, startShop, stopShop } from "./shop-process.ts";

const BUYERS = 60;
const SLUG = "premium-netflix-access";

const shop = await startShop({ dataDir: newDataDir(), port: await freePort() });
try {
  const buyers = Array.from({ length: BUYERS }, () => new Buyer(shop.url));
  for (const buyer of buyers) await buyer.signUp();
  const refusalsMs: number[] = [];
  const ends = await Promise.all(
    buyers.map(async (buyer) => {
      const began = performance.now();
      const started = await buyer.start(SLUG);
      if ("refused" in started) {
        refusalsMs.push(performance.now() - began);
        return `${started.status} ${started.refused}`;
      }
      return buyer.confirm(await buyer.pay(started.orderId));
    }),
  );
  const counts = new Map<string, number>();
  for (const end of ends) counts.set(end, (counts.get(end) ?? 0) + 1);
  for (const [end, count] of counts) console.log(`${count} × ${end}`);
  console.log(
    `refusals: p50 ${quantile(refusalsMs, 0.5).toFixed(0)} ms, p99 ${quantile(refusalsMs, 0.99).toFixed(0)} ms`,
  );
  const passes = counts.get("success") ?? 0;
  if (passes !== 3) throw new Error(`${passes} passes for 3 in stock`);
  console.log("exactly 3 passes");
} finally {
  await stopShop(shop);
}
