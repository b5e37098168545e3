import { connectToShop } from "../support/shop-database.ts";
import type { Environment } from "./environment.ts";
import { compareLedgerWithGateway, countRows, countUnfinishedRefunds } from "./ledger.ts";

/** The shop repeats an interrupted refund after one minute, then after two. */
const REFUND_TIMEOUT_MS = 240_000;

const SUMS = {
  checkouts: "select count(*)::int as n from user_purchases",
  passes: `select count(*)::int as n from user_purchases
    where status = 'completed' and ended_at is null and amount > 0`,
  freePasses: "select count(*)::int as n from user_purchases where status = 'completed' and amount = 0",
  refunds: "select count(*)::int as n from refunds",
} as const;

/** Waits for the last refunds, then compares the shop's ledger with the gateway's records. */
export async function auditFinalState({ dataDir, gateway }: Environment) {
  const client = await connectToShop(dataDir);
  const until = performance.now() + REFUND_TIMEOUT_MS;
  while ((await countUnfinishedRefunds(client)) > 0 && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  const problems = await compareLedgerWithGateway(client, gateway);
  const sums = {
    checkouts: await countRows(client, SUMS.checkouts),
    passes: await countRows(client, SUMS.passes),
    freePasses: await countRows(client, SUMS.freePasses),
    refunds: await countRows(client, SUMS.refunds),
  };
  await client.end();
  const { payments } = await gateway.totals();
  return { problems, sums: { captured: payments.captured + payments.refunded, ...sums } };
}
