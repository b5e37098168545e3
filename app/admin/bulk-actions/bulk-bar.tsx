import X from "lucide-react/icons/x";
import { createPortal } from "react-dom";
import { useLocation } from "react-router";
import { z } from "zod";
import type { BulkActionName } from "#core/bulk-actions/bulk-actions.ts";
import type { List } from "#core/lists/paging.ts";
import { BottomBar } from "../../ui/bottom-bar.tsx";
import { Button } from "../../ui/button.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { formatCount } from "../format-count.ts";
import { useAdminAction } from "../forms/admin-action.tsx";
import type { Choosing } from "../lists/choosing.tsx";
import { useListAddress } from "../lists/use-list-address.ts";
import { BulkActionDialog, useBulkActionDialog } from "./bulk-action-dialog.tsx";
import { BULK_ACTION_PATH, BULK_TEXTS, capitalised } from "./bulk-texts.ts";

interface BulkBarProps {
  actions: readonly BulkActionName[];
  choosing: Choosing;
  list: Pick<List<unknown>, "rows" | "total" | "totalIsExact">;
}

const countedSchema = z.object({ id: z.string() });

/** What can be done to the rows that are ticked, and the dialog in which it is done. */
export function BulkBar({ actions, choosing, list }: BulkBarProps) {
  const dialog = useBulkActionDialog();
  const { ids, isWholeList } = choosing;
  const chosen = isWholeList ? `${capitalised(describeAll(list))} that match` : `${ids.length} selected`;
  const isChosen = isWholeList || ids.length > 0;
  return (
    <>
      <p role="status" className="sr-only">
        {isChosen ? chosen : ""}
      </p>
      <BulkActionDialog dialog={dialog} onStarted={() => choosing.setAll(false)} />
      {isChosen ? (
        <Bar actions={actions} choosing={choosing} list={list} chosen={chosen} onCounted={dialog.open} />
      ) : null}
    </>
  );
}

/** The list counts the matches of a search up to 2,000; how many there are, the dialog says. */
const describeAll = ({ total, totalIsExact }: BulkBarProps["list"]) =>
  totalIsExact ? `all ${formatCount(total)}` : "all";

interface BarProps extends BulkBarProps {
  /** What is chosen. */
  chosen: string;
  onCounted: (id: string) => void;
}

function Bar({ actions, choosing, list, chosen, onCounted }: BarProps) {
  const { search } = useLocation();
  const isSearched = useListAddress().get("q") !== "";
  const count = useAdminAction({
    action: BULK_ACTION_PATH,
    onDone: (value) => onCounted(countedSchema.parse(value).id),
  });
  const { ids, isWholePage, isWholeList, setAll, setWholeList } = choosing;
  // Without a search, the total is not exact only where it is more than a bulk action may have.
  const hasMore = list.totalIsExact ? list.total > list.rows.length : isSearched;
  return createPortal(
    <BottomBar label="Selected rows" className="max-sm:[&>div]:flex-wrap max-sm:[&>div]:py-2">
      <p className="mr-auto whitespace-nowrap font-medium text-sm tabular-nums max-sm:basis-2/3">{chosen}</p>
      <IconButton
        label="Clear the selection"
        className="max-sm:ml-auto sm:order-last"
        onClick={() => {
          setAll(false);
          // The button that has the focus disappears.
          document.querySelector<HTMLElement>("[data-rows]")?.focus({ preventScroll: true });
        }}
      >
        <X className="size-4.5" aria-hidden="true" />
      </IconButton>
      {isWholeList || (isWholePage && hasMore) ? (
        <Button
          size="small"
          variant="quiet"
          aria-pressed={isWholeList}
          className="aria-pressed:bg-ink/10 max-sm:basis-full"
          onClick={() => setWholeList(!isWholeList)}
        >
          {`Select ${describeAll(list)} that match`}
        </Button>
      ) : null}
      {actions.map((action) => (
        <Button
          key={action}
          size="small"
          busy={count.busy}
          onClick={() =>
            count.run("count", isWholeList ? { action, list: search } : { action, ids: ids.join(",") })
          }
        >
          {BULK_TEXTS[action].button}
        </Button>
      ))}
    </BottomBar>,
    document.body,
  );
}
