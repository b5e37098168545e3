import type { ListedPurchase } from "#core/passes/list-purchases.server.ts";

/** What every dialog about one purchase gets. */
export interface PurchaseDialogProps {
  /** As the list showed it when the dialog was opened. */
  purchase: ListedPurchase;
  open: boolean;
  onClose: () => void;
}
