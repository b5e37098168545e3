import X from "lucide-react/icons/x";
import { useState } from "react";
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
  return (
    <>
      <BulkActionDialog dialog={dialog} onStarted={() => choosing.setAll(false)} />
      {choosing.ids.length === 0 ? null : (
        <Bar actions={actions} choosing={choosing} list={list} onCounted={dialog.open} />
      )}
    </>
  );
}

function Bar({ actions, choosing, list, onCounted }: BulkBarProps & { onCounted: (id: string) => void }) {
  const { search } = useLocation();
  const page = useListAddress().hrefWithoutDialog;
  // The list whose rows were all chosen.
  const [allAt, setAllAt] = useState<string | null>(null);
  const count = useAdminAction({
    action: BULK_ACTION_PATH,
    onDone: (value) => onCounted(countedSchema.parse(value).id),
  });
  const { ids, isWholePage, setAll } = choosing;
  const hasMore = isWholePage && (list.total > list.rows.length || !list.totalIsExact);
  const isAll = hasMore && allAt === page;
  // The list counts the matches of a search up to 2,000; how many there are, the dialog says.
  const all = list.totalIsExact ? `all ${formatCount(list.total)}` : "all";
  return createPortal(
    <BottomBar label="Selected rows" className="max-sm:[&>div]:flex-wrap max-sm:[&>div]:py-2">
      <p
        role="status"
        className="mr-auto whitespace-nowrap font-medium text-sm tabular-nums max-sm:basis-2/3"
      >
        {isAll ? `${capitalised(all)} that match` : `${ids.length} selected`}
      </p>
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
      {hasMore && !isAll ? (
        <Button size="small" variant="quiet" className="max-sm:basis-full" onClick={() => setAllAt(page)}>
          {`Select ${all} that match`}
        </Button>
      ) : null}
      {actions.map((action) => (
        <Button
          key={action}
          size="small"
          busy={count.busy}
          onClick={() =>
            count.run("count", isAll ? { action, list: search } : { action, ids: ids.join(",") })
          }
        >
          {BULK_TEXTS[action].button}
        </Button>
      ))}
    </BottomBar>,
    document.body,
  );
}
