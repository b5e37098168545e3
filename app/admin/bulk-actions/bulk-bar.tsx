import X from "lucide-react/icons/x";
import { useState } from "react";
import { createPortal } from "react-dom";
import { useLocation } from "react-router";
import { z } from "zod";
import { type BulkActionName, MAX_BULK_ROWS } from "#core/bulk-actions/bulk-actions.ts";
import type { List } from "#core/lists/paging.ts";
import { BottomBar } from "../../ui/bottom-bar.tsx";
import { Button } from "../../ui/button.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { formatCount } from "../format-count.ts";
import { useAdminAction } from "../forms/admin-action.tsx";
import type { Choosing } from "../lists/choosing.tsx";
import { useListAddress } from "../lists/use-list-address.ts";
import { BulkActionDialog, useBulkActionDialog } from "./bulk-action-dialog.tsx";
import { BULK_ACTION_PATH, BULK_TEXTS } from "./bulk-texts.ts";

interface BulkBarProps {
  actions: readonly BulkActionName[];
  choosing: Choosing;
  list: Pick<List<unknown>, "rows" | "total" | "totalIsExact">;
}

const countedSchema = z.object({ id: z.string() });

/** How many rows are ticked, and what can be done to them. */
export function BulkBar({ actions, choosing, list }: BulkBarProps) {
  const { search } = useLocation();
  const page = useListAddress().hrefWithoutDialog;
  const dialog = useBulkActionDialog();
  // The list whose rows were all chosen.
  const [allAt, setAllAt] = useState<string | null>(null);
  const count = useAdminAction({
    action: BULK_ACTION_PATH,
    onDone: (value) => dialog.open(countedSchema.parse(value).id),
  });
  const { ids, isWholePage, setAll } = choosing;
  const hasMore = isWholePage && (list.total > list.rows.length || !list.totalIsExact);
  const isAll = hasMore && allAt === page;
  const all = list.totalIsExact ? formatCount(list.total) : "";
  const start = (action: BulkActionName) =>
    count.run("count", isAll ? { action, list: search } : { action, ids: ids.join(",") });
  return (
    <>
      <BulkActionDialog dialog={dialog} onStarted={() => choosing.setAll(false)} />
      {ids.length === 0
        ? null
        : createPortal(
            <BottomBar label="Selected rows" className="max-sm:[&>div]:flex-wrap max-sm:[&>div]:py-2">
              <p role="status" className="mr-auto whitespace-nowrap font-medium text-sm tabular-nums">
                {isAll ? `All ${all} that match` : `${ids.length} selected`}
              </p>
              {hasMore && !isAll && list.total <= MAX_BULK_ROWS ? (
                <Button size="small" variant="quiet" onClick={() => setAllAt(page)}>
                  {`Select all ${all} that match`}
                </Button>
              ) : null}
              {actions.map((action) => (
                <Button
                  key={action}
                  size="small"
                  variant={BULK_TEXTS[action].danger ? "danger" : "plain"}
                  busy={count.busy}
                  onClick={() => start(action)}
                >
                  {BULK_TEXTS[action].button}
                </Button>
              ))}
              <IconButton label="Clear the selection" onClick={() => setAll(false)}>
                <X className="size-4.5" aria-hidden="true" />
              </IconButton>
            </BottomBar>,
            document.body,
          )}
    </>
  );
}
