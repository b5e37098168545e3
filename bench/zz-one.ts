import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { freePort } from "../tools/testing/free-port.ts";
import { insertTools } from "./in-process-shop.ts";
import { LightHttp } from "./light-http.ts";
import { connectToShop } from "./shop-database.ts";
import { createDataDir, startShop, stopShop } from "./shop-process.ts";
import { insertSessions, SignedInBuyer } from "./signed-in-buyer.ts";
const dataDir = createDataDir(); const authSecret = randomBytes(32).toString("hex");
const shop = await startShop({ dataDir, port: await freePort(), env: { AUTH_SECRET: authSecret, LOG_LEVEL:"info", NODE_OPTIONS:"--import /tmp/hook.mjs" } });
const db = await connectToShop(dataDir); const http = new LightHttp(8);
await db.query("alter database daypass set log_min_duration_statement=0").catch(e=>console.log(e.message)); const [slug] = await insertTools(db, 1);
const pay = (o: string) => http.post(`${shop.url}/sandbox-gateway/checkout/pay`, JSON.stringify({ order_id: o }), { origin: shop.url, "content-type": "application/json" });
const ss = await insertSessions(db, authSecret, 3);
for (const [i, s] of ss.entries()) {
  if (i === 2) { await new Promise(r=>setTimeout(r,5000)); await db.query("select 1 as mark_here");  console.log("MARK", Date.now()); }
  const b = new SignedInBuyer({ ...s, http, shopUrl: shop.url, origin: shop.url, sendPayment: pay });
  const { order } = await b.start(slug!); if(i===2) console.log("STARTED");
  const p = await b.pay(order!.orderId); if(i===2) console.log("PAID"); console.log((await b.confirm(p)).result);
}
await new Promise(r=>setTimeout(r,4000));
console.log(shop.output().split("\n").slice(-60).join("\n"));
http.close(); await db.end(); await stopShop(shop); console.log(dataDir);
