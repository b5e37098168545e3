import { Gauge, Registry } from "prom-client";
import type { DiscrepancyKind } from "#core/reports/discrepancies.ts";
import { countUnaccounted, DISCREPANCY_KINDS } from "#core/reports/discrepancies.ts";
import type { OperatingStatistics } from "#core/reports/read-operating-statistics.server.ts";

/** The shop's figures as Prometheus text. Made anew each time: a figure that could not be read is absent, never old. */
export function describeStatistics(figures: OperatingStatistics, now: Date): Promise<string> {
  const registry = new Registry();
  const gauge = (name: string, help: string, value: number) =>
    new Gauge({ name: `daypass_${name}`, help, registers: [registry] }).set(value);
  const { ledgerAudit } = figures;
  if (ledgerAudit) {
    const seconds = (now.getTime() - Date.parse(ledgerAudit.at)) / 1000;
    gauge(
      "unaccounted_payments",
      "Captured payments without exactly one pass, refund or audited cancellation",
      countUnaccounted(ledgerAudit.counts),
    );
    gauge("money_watch_age_seconds", "Time since the books were last looked through", Math.max(0, seconds));
    describeFindings(registry, ledgerAudit.counts);
  }
  const refunds = new Gauge({
    name: "daypass_refunds",
    help: "Refunds by status",
    labelNames: ["status"],
    registers: [registry],
  });
  for (const [status, number] of Object.entries(figures.refunds)) refunds.set({ status }, number);
  gauge("payment_orders_open", "Orders that may still bring money", figures.openOrders);
  gauge(
    "oldest_unhandled_event_seconds",
    "Age of the oldest webhook that is not handled yet",
    figures.oldestUnhandledEventSeconds,
  );
  gauge("mail_waiting", "Mails in the outbox that are not sent yet", figures.mailWaiting);
  return registry.metrics();
}

function describeFindings(registry: Registry, counts: Partial<Record<DiscrepancyKind, number>>): void {
  const discrepancies = new Gauge({
    name: "daypass_money_findings",
    help: "What is wrong in the books, by kind",
    labelNames: ["kind"],
    registers: [registry],
  });
  for (const kind of DISCREPANCY_KINDS) discrepancies.set({ kind }, counts[kind] ?? 0);
}
