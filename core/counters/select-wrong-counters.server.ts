import type { SQL } from "drizzle-orm";
import { DAY } from "../time.ts";
import { PASSES_KEPT_MS, PAYMENTS_KEPT_MS } from "./compact-counters.server.ts";
import { wrongCounters } from "./queries.server.ts";

/**
 * A query for the counters whose value is not what the tables say: `name`, `bucket`, `counted`, `actual`,
 * `counted_paise`, `actual_paise`. It reads whole tables, in one snapshot with the statement that it is a part of. What
 * a compaction may have merged by now is compared merged.
 */
export function selectWrongCounters(now: Date): SQL {
  return wrongCounters({
    passesBefore: new Date(now.getTime() - PASSES_KEPT_MS / 2),
    paymentsBefore: new Date(now.getTime() - PAYMENTS_KEPT_MS + DAY),
  });
}
