import type { ReactNode } from "react";
import { Link } from "react-router";
import { formatPaise } from "#core/money.ts";
import type { PaymentMode } from "#core/reports/go-live-checklist.ts";
import type { Overview } from "#core/reports/read-dashboard.server.ts";
import { formatTimeLeft } from "#core/time.ts";
import { DateTime } from "../../time/date-time.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import type { Elements } from "../../ui/texts/texts.ts";
import { ENDED_LABELS, nameOfSource } from "../purchases/purchase-status.tsx";
import { Renewals } from "./renewals.tsx";
import { SalesSummary } from "./sales-summary.tsx";

const NO_TOOLS = "No tools on sale yet";

/** How the shop has been doing lately, and what runs out. */
export function OverviewPanel({ overview, paymentMode }: { overview: Overview; paymentMode: PaymentMode }) {
  const { recentPurchases, toolsOnSale, lowStock, lowStockTotal } = overview;
  const { withoutCode, withoutCredential, reportedCodes, codesAlike, backup } = overview;
  return (
    <Card className="p-4">
      <section aria-label="Sales and stock">
        <div className="grid gap-x-8 gap-y-4 md:grid-cols-2 lg:grid-cols-3">
          <Part title="Sales">
            <SalesSummary overview={overview} paymentMode={paymentMode} />
          </Part>
          <Part title="Recent purchases">
            {recentPurchases.length === 0 ? (
              <Nothing>No purchases yet</Nothing>
            ) : (
              <RecentPurchases purchases={recentPurchases} />
            )}
          </Part>
          <div className="flex min-w-0 flex-col gap-3">
            <Part title="Low stock">
              {lowStock.length === 0 ? (
                <Nothing>{toolsOnSale === 0 ? NO_TOOLS : "Every tool has 5 or more"}</Nothing>
              ) : (
                <LowStock tools={lowStock} total={lowStockTotal} />
              )}
            </Part>
            <Part title="Missing access codes">
              {withoutCode.length === 0 ? (
                <Nothing>{toolsOnSale === 0 ? NO_TOOLS : "Every tool on sale has its codes"}</Nothing>
              ) : (
                <WithoutCode tools={withoutCode} />
              )}
            </Part>
            {reportedCodes.length === 0 ? null : (
              <Part title="Reported codes">
                <Codes codes={reportedCodes} />
              </Part>
            )}
            {codesAlike.length === 0 ? null : (
              <Part title="Codes that differ only in case">
                <Codes codes={codesAlike} />
                <p className="text-muted text-xs">
                  New ones are refused. Change or delete all but one of each.
                </p>
              </Part>
            )}
            {withoutCredential.length === 0 ? null : (
              <Part title="Missing credentials">
                <WithoutCredential tools={withoutCredential} />
              </Part>
            )}
            <Part title="Last verified backup">
              <LastBackup backup={backup} />
            </Part>
            <p className="mt-auto text-muted text-xs">
              Total Purchases counts completed purchases, including ended ones.
            </p>
            <p className="text-muted text-xs">
              <span>Updated </span>
              <DateTime date={overview.at} />
            </p>
          </div>
          <div className="min-w-0 border-line border-t pt-3 md:col-span-2 lg:col-span-3">
            <Part title="Paid passes renewed within 7 days of their end">
              <Renewals {...overview.renewals} />
            </Part>
          </div>
        </div>
      </section>
    </Card>
  );
}

function Part({ title, children }: { title: string; children: Elements }) {
  return (
    <div className="min-w-0">
      <h2 className="mb-1 text-sm">{title}</h2>
      {children}
    </div>
  );
}

function Nothing({ children }: { children: ReactNode }) {
  return <p className="text-muted text-sm">{children}</p>;
}

const ROW = "flex min-w-0 items-baseline justify-between gap-3 border-line border-b py-1 last:border-b-0";
/** At most a few rows high: the rest scrolls. */
const LIST = "max-h-28 overflow-y-auto text-sm";
const LINK = "min-w-0 truncate rounded-sm underline-offset-4 hover:underline";

const searchFor = (page: string, q: string) => `/admin/${page}?q=${encodeURIComponent(q)}`;

function RecentPurchases({ purchases }: { purchases: Overview["recentPurchases"] }) {
  return (
    <ul className="text-sm">
      {purchases.map(({ id, toolName, userEmail, amountPaise, testMode, source, endedReason, createdAt }) => (
        <li key={id} className="border-line border-b py-1 last:border-b-0">
          <div className="flex min-w-0 items-baseline justify-between gap-3">
            <Link
              to={searchFor("purchases", userEmail.includes("@") ? userEmail : toolName)}
              preventScrollReset
              className={LINK}
            >
              {toolName}
            </Link>
            <span className="shrink-0 tabular-nums">
              <span>{formatPaise(amountPaise)}</span>
              {testMode ? <span className="text-muted"> test</span> : null}
            </span>
          </div>
          <div className="flex min-w-0 items-baseline justify-between gap-3 text-muted text-xs">
            <span className="min-w-0 truncate">{describeBuyer(userEmail, { source, amountPaise })}</span>
            <span className="shrink-0">
              <span>{endedReason === null ? null : `${ENDED_LABELS[endedReason]} · `}</span>
              <DateTime date={createdAt} />
            </span>
          </div>
        </li>
      ))}
    </ul>
  );
}

function describeBuyer(email: string, purchase: Parameters<typeof nameOfSource>[0]): string {
  const buyer = email.includes("@") ? email : "a deleted account";
  return purchase.source === "checkout" ? buyer : `${buyer} · ${nameOfSource(purchase).toLowerCase()}`;
}

function LastBackup({ backup: { verified, isOverdue, isNightly, readAt } }: { backup: Overview["backup"] }) {
  const none = isNightly ? "None yet" : "None: nightly backups are off";
  return (
    <p className="flex min-w-0 items-baseline justify-between gap-3 text-sm">
      <Link to="/admin/settings#backups" className={LINK}>
        {verified === null ? none : `${formatTimeLeft(readAt, new Date(verified.at))} ago`}
      </Link>
      {isOverdue ? <Badge tone="red">Over 48 hours</Badge> : null}
    </p>
  );
}

function LowStock({ tools, total }: { tools: Overview["lowStock"]; total: number }) {
  return (
    <ul className={LIST}>
      {tools.map(({ toolId, toolName, availableStock }) => (
        <li key={toolId} className={ROW}>
          <Link to={searchFor("tools", toolName)} preventScrollReset className={LINK}>
            {toolName}
          </Link>
          <Badge tone={availableStock > 0 ? "warning" : "red"}>
            {availableStock > 0 ? `${availableStock} left` : "Out of stock"}
          </Badge>
        </li>
      ))}
      {total > tools.length ? (
        <li className="text-muted text-xs">{`and ${(total - tools.length).toLocaleString("en-IN")} more`}</li>
      ) : null}
    </ul>
  );
}

function WithoutCode({ tools }: { tools: Overview["withoutCode"] }) {
  return (
    <ul className={LIST}>
      {tools.map(({ toolId, toolName, servers }) => (
        <li key={toolId} className={ROW}>
          <Link to={searchFor("access-codes", toolName)} preventScrollReset className={LINK}>
            {toolName}
          </Link>
          <span className="max-w-1/2 shrink-0 truncate text-muted text-xs" title={servers.join(", ")}>
            {servers.join(", ")}
          </span>
        </li>
      ))}
    </ul>
  );
}

interface CodesProps {
  codes: readonly (Overview["codesAlike"][number] & { reports?: number })[];
}

function Codes({ codes }: CodesProps) {
  return (
    <ul className={LIST}>
      {codes.map(({ accessCodeId, toolName, serverName, reports }) => (
        <li key={accessCodeId} className={ROW}>
          <Link
            to={searchFor("access-codes", toolName)}
            preventScrollReset
            className="flex min-w-0 flex-1 rounded-sm underline-offset-4 hover:underline"
          >
            <span className="min-w-0 truncate">{toolName}</span>
            <span className="max-w-1/2 shrink-0 truncate whitespace-pre">{` · ${serverName}`}</span>
          </Link>
          {reports === undefined ? null : (
            <Badge tone="red">{reports === 1 ? "1 report" : `${reports} reports`}</Badge>
          )}
        </li>
      ))}
    </ul>
  );
}

const missingLabel = (service: string | null) =>
  service === null ? "The chosen one is inactive" : "No active one";

function WithoutCredential({ tools }: { tools: Overview["withoutCredential"] }) {
  return (
    <ul className={LIST}>
      {tools.map(({ toolId, toolName, service, isAmbiguous }) => (
        <li key={toolId} className={ROW}>
          <Link
            to={isAmbiguous ? searchFor("tools", toolName) : searchFor("credentials", service ?? "")}
            preventScrollReset
            className={LINK}
          >
            {toolName}
          </Link>
          <span className="shrink-0 text-muted text-xs">
            {isAmbiguous ? "Several fit, buyers get none: choose one" : missingLabel(service)}
          </span>
        </li>
      ))}
    </ul>
  );
}
