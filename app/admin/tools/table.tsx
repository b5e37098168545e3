import type { ListedTool } from "#core/catalog/list-tools-for-admin.server.ts";
import { formatPaise } from "#core/money.ts";
import { findBrandIcon, logoPath } from "../../storefront/tool-logo.tsx";
import { ActiveBadge, Badge } from "../../ui/badge.tsx";
import { classNames } from "../../ui/class-names.ts";
import { LogoTile } from "../../ui/logo-tile.tsx";
import { Money } from "../../ui/text.tsx";
import { formatCount } from "../format-count.ts";
import { type ListColumn, sortable } from "../lists/list-table.tsx";
import { RowActions } from "../lists/row-actions.tsx";
import type { ListAddress } from "../lists/use-list-address.ts";

/** The number of pricing options that the table shows. */
const OPTIONS_SHOWN = 2;
/** What a tool without a validity shows. */
const FALLBACK_DAYS = 30;

interface ToolActions {
  onEdit: (tool: ListedTool) => void;
  onDelete: (tool: ListedTool) => void;
  /** Asks whether a tool that is not ready is sold. */
  onSale: (tool: ListedTool) => void;
  /** Shows who waits for a tool. */
  onWaiting: (tool: ListedTool) => void;
}

export function toolColumns(
  address: ListAddress,
  { onEdit, onDelete, onSale, onWaiting }: ToolActions,
): ListColumn<ListedTool>[] {
  return [
    {
      id: "name",
      ...sortable(address, { sort: "name", label: "Tool Name", first: "asc" }),
      phone: "both",
      className: "min-[720px]:w-1/3",
      cell: ToolNameCell,
    },
    {
      id: "price",
      ...sortable(address, { sort: "price", label: "Price" }),
      phone: "first-end",
      cell: PriceCell,
    },
    {
      id: "stock",
      ...sortable(address, { sort: "stock", label: "Stock", first: "asc" }),
      phone: "second-end",
      cell: (tool) => <StockCell tool={tool} onWaiting={() => onWaiting(tool)} />,
    },
    { id: "validity", header: "Validity (Days)", cell: ValidityCell },
    {
      id: "status",
      header: "Status",
      phone: "more",
      cell: (tool) => <StatusCell tool={tool} onSale={() => onSale(tool)} />,
    },
    {
      id: "actions",
      header: "Actions",
      phone: "menu",
      cell: (tool) => (
        <RowActions name={tool.name} onEdit={() => onEdit(tool)} onDelete={() => onDelete(tool)} />
      ),
    },
  ];
}

function ToolNameCell({ name, description, logo }: ListedTool) {
  return (
    <div className="flex min-w-0 items-start gap-3">
      <LogoTile
        name={name}
        icon={findBrandIcon(name)}
        picture={logo === null ? undefined : logoPath(logo)}
        className="size-9 text-sm"
      />
      <div className="min-w-0">
        <p title={name} className="wrap-anywhere font-medium max-[720px]:truncate">
          {name}
        </p>
        <p
          className="line-clamp-2 wrap-anywhere text-muted text-xs max-[720px]:line-clamp-1"
          title={description}
        >
          {description}
        </p>
      </div>
    </div>
  );
}

function PriceCell({ pricePaise, originalPricePaise, pricingOptions }: ListedTool) {
  if (pricingOptions.length === 0) {
    return <Price pricePaise={pricePaise} originalPricePaise={originalPricePaise} />;
  }
  const more = pricingOptions.length - OPTIONS_SHOWN;
  return (
    <div className="flex flex-col">
      <p className="text-muted text-xs max-[720px]:hidden">Multiple Options:</p>
      {pricingOptions.slice(0, OPTIONS_SHOWN).map((option, at) => (
        <p
          key={option.validityDays}
          className={classNames("wrap-anywhere min-[720px]:min-w-40", at > 0 && "max-[720px]:hidden")}
        >
          <span className="max-[720px]:hidden">{`${option.label}: `}</span>
          <Price {...option} />
        </p>
      ))}
      {more > 0 ? <p className="text-muted text-xs max-[720px]:hidden">{`+${more} more`}</p> : null}
    </div>
  );
}

function Price({ pricePaise, originalPricePaise }: Pick<ListedTool, "pricePaise" | "originalPricePaise">) {
  const hasOriginal = originalPricePaise !== null && originalPricePaise > pricePaise;
  return (
    <span className="inline-flex flex-wrap gap-x-2 min-[720px]:flex-nowrap">
      <Money>{formatPaise(pricePaise)}</Money>
      {hasOriginal ? (
        <Money struck className="max-[720px]:hidden">
          {formatPaise(originalPricePaise)}
        </Money>
      ) : null}
    </span>
  );
}

function StockCell({ tool, onWaiting }: { tool: ListedTool; onWaiting: () => void }) {
  const { name, availableStock, waiting } = tool;
  const colour = availableStock > 0 ? "text-green" : "text-red";
  return (
    <div className="flex flex-col items-start gap-1">
      <span className={`${colour} whitespace-nowrap font-medium tabular-nums`}>
        {`${formatCount(availableStock)} in stock`}
      </span>
      {waiting > 0 ? (
        <button
          type="button"
          className="inline-flex min-h-11 items-center rounded-full min-[720px]:min-h-6"
          onClick={onWaiting}
        >
          <Badge tone="warning">{`${formatCount(waiting)} waiting`}</Badge>
          <span className="sr-only">{` for ${name}`}</span>
        </button>
      ) : null}
    </div>
  );
}

function ValidityCell({ validityDays }: ListedTool) {
  const days = validityDays || FALLBACK_DAYS;
  return (
    <div className="min-w-0 flex-1">
      <p className="tabular-nums">{days}</p>
      <p className="text-muted text-xs">{`Expires: Purchase Date + ${days} days`}</p>
    </div>
  );
}

function StatusCell({ tool, onSale }: { tool: ListedTool; onSale: () => void }) {
  const { isActive, contactOnly, isReady, sellsWhenNotReady } = tool;
  return (
    <div className="flex min-w-0 flex-col items-start gap-1 min-[720px]:max-w-56">
      <div className="flex flex-wrap gap-1">
        <ActiveBadge isActive={isActive} isShort />
        {contactOnly ? (
          <span className="max-[720px]:hidden">
            <Badge>Sold by chat only</Badge>
          </span>
        ) : null}
        {isReady ? null : <Badge tone="yellow">Not ready</Badge>}
      </div>
      {isReady ? null : (
        <>
          <p className="text-muted text-xs">{`${NOTHING_TO_OPEN} ${notReadySale(tool)}`}</p>
          <button
            type="button"
            className="min-h-11 rounded-sm font-medium text-accent text-xs underline underline-offset-4 min-[720px]:min-h-6"
            onClick={onSale}
          >
            <span>{sellsWhenNotReady ? "Stop selling" : "Sell it anyway"}</span>
            <span className="sr-only">{`: ${tool.name}`}</span>
          </button>
        </>
      )}
    </div>
  );
}

const NOTHING_TO_OPEN = "No active code, no single credential that fits, and no tool website:";

function notReadySale({ isActive, sellsWhenNotReady }: ListedTool): string {
  if (!sellsWhenNotReady) return "not on sale.";
  return isActive ? "sold anyway, and buyers get nothing." : "sold anyway once it is active.";
}
