import { Gauge, Registry } from "prom-client";
import type { DiscrepancyKind } from "#core/reports/discrepancies.ts";
import { countUnaccountedPayments, DISCREPANCY_KINDS } from "#core/reports/discrepancies.ts";
import type { OperatingStatistics } from "#core/reports/read-operating-statistics.server.ts";

/** Formats the statistics as Prometheus text. Each call uses a new registry, so that no value is older than `statistics`. */
export function describeStatistics(statistics: OperatingStatistics, now: Date): Promise<string> {
  const registry = new Registry();
  const gauge = (name: string, help: string, value: number) =>
    new Gauge({ name: `daypass_${name}`, help, registers: [registry] }).set(value);
  const { ledgerAudit } = statistics;
  if (ledgerAudit) {
    const seconds = (now.getTime() - Date.parse(ledgerAudit.at)) / 1000;
    gauge(
      "unaccounted_payments",
      "Captured payments without exactly one pass, refund or audited cancellation",
      countUnaccountedPayments(ledgerAudit.counts),
    );
    gauge("money_watch_age_seconds", "Time since the last ledger audit", Math.max(0, seconds));
    describeDiscrepancies(registry, ledgerAudit.counts);
  }
  const refunds = new Gauge({
    name: "daypass_refunds",
    help: "Refunds by status",
    labelNames: ["status"],
    registers: [registry],
  });
  for (const [status, number] of Object.entries(statistics.refunds)) refunds.set({ status }, number);
  gauge("payment_orders_open", "Payment orders that are still open", statistics.openOrders);
  gauge(
    "oldest_unhandled_event_seconds",
    "Age of the oldest webhook event that is not processed yet",
    statistics.oldestUnprocessedEventSeconds,
  );
  gauge("mail_waiting", "Mails in the outbox that are not sent yet", statistics.mailWaiting);
  return registry.metrics();
}

function describeDiscrepancies(registry: Registry, counts: Partial<Record<DiscrepancyKind, number>>): void {
  const discrepancies = new Gauge({
    name: "daypass_money_findings",
    help: "Discrepancies that the last ledger audit found, by kind",
    labelNames: ["kind"],
    registers: [registry],
  });
  for (const kind of DISCREPANCY_KINDS) discrepancies.set({ kind }, counts[kind] ?? 0);
}
