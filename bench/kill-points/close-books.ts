import { connectToShop } from "../shop-database.ts";
import { compareBooks, countRows, countUnfinishedRefunds } from "./books.ts";
import type { Stage } from "./stage.ts";

/** A refund that a kill interrupted is tried again after a minute, then after two. */
const REFUNDS_DONE_WITHIN_MS = 240_000;

const SUMS = {
  checkouts: "select count(*)::int as n from user_purchases",
  passes: `select count(*)::int as n from user_purchases
    where status = 'completed' and ended_at is null and amount > 0`,
  forNothing: "select count(*)::int as n from user_purchases where status = 'completed' and amount = 0",
  refunds: "select count(*)::int as n from refunds",
} as const;

/** Waits for the last refunds, then holds the shop's books against the gateway's. */
export async function closeBooks({ dataDir, gateway }: Stage) {
  const client = await connectToShop(dataDir);
  const until = performance.now() + REFUNDS_DONE_WITHIN_MS;
  while ((await countUnfinishedRefunds(client)) > 0 && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  const problems = await compareBooks(client, gateway);
  const sums = {
    checkouts: await countRows(client, SUMS.checkouts),
    passes: await countRows(client, SUMS.passes),
    forNothing: await countRows(client, SUMS.forNothing),
    refunds: await countRows(client, SUMS.refunds),
  };
  await client.end();
  const { payments } = await gateway.totals();
  return { problems, sums: { captured: payments.captured + payments.refunded, ...sums } };
}
