import type { ListedTool } from "#core/catalog/list-tools-for-admin.server.ts";
import type { Opened } from "../dialogs/opened.ts";
import { ConfirmAction } from "../forms/admin-action.tsx";

/** What still keeps a tool from being sold once it is ready; `sale` when nothing does. */
export function saleAfterReady(
  {
    isActive,
    availableStock,
    stockFromCodes,
  }: Pick<ListedTool, "isActive" | "availableStock" | "stockFromCodes">,
  sale: string,
): string {
  if (!isActive) return "activate it to sell it.";
  // Codes per buyer are its stock.
  if (availableStock <= 0 && !stockFromCodes)
    return "raise its stock, which is 0: until then it shows as out of stock.";
  return sale;
}

/** Asks before a tool is sold although its pass opens nothing, and before that ends. */
export function SaleDialogs({ sale }: { sale: Opened<ListedTool> }) {
  const isSold = sale.value?.sellsWhenNotReady === true;
  return (
    <ConfirmAction
      confirm={sale}
      intent="sell-when-not-ready"
      values={({ id }) => ({ toolId: id, sellsWhenNotReady: String(!isSold) })}
      question={({ name }) => (isSold ? `Stop selling ${name}?` : `Sell ${name} although it is not ready?`)}
      confirmLabel={isSold ? "Stop Selling" : "Sell It Anyway"}
    >
      {(tool) =>
        isSold ? (
          <p>{`Once its pass opens something, ${saleAfterReady(tool, "it goes back on sale by itself.")}`}</p>
        ) : (
          <>
            <p>
              Buyers would pay for a pass that opens nothing until you add a code, a credential or a tool
              website.
            </p>
            <p className="text-muted">
              {`Better: add an access code for ${tool.servers[0]?.name ?? "a server"}. Then ${saleAfterReady(tool, "it goes on sale by itself.")}`}
            </p>
          </>
        )
      }
    </ConfirmAction>
  );
}
