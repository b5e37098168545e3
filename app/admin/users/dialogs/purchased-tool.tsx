import { useEffect, useRef, useState } from "react";
import { formatPaise } from "#core/money.ts";
import type { UserPurchase } from "#core/pass-management/list-user-purchases.server.ts";
import { formatDateTime } from "#core/time.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { Fact } from "../../../ui/fact.tsx";
import { Money } from "../../../ui/money.tsx";
import { useShared } from "../../../use-shared.ts";
import { AdminDate } from "../../lists/admin-date.tsx";
import { ExpiryDateForm } from "../../passes/expiry-date-form.tsx";
import { canChangeExpiry, PurchaseStatus, TestBadge } from "../../passes/purchase-status.tsx";
import { DeletePurchaseDialog } from "./delete-purchase-dialog.tsx";

/** One purchase of a user, with what an admin can do to it. */
export function PurchasedTool({ purchase }: { purchase: UserPurchase }) {
  const { id, purchasedName, expiresAt } = purchase;
  const toolName = purchase.toolName ?? "Unknown Tool";
  const [opened, setOpened] = useState<"extend" | "delete" | null>(null);
  const close = () => setOpened(null);
  const extending = opened === "extend";
  const wasExtending = useRef(false);
  const actions = useRef<HTMLDivElement>(null);
  // The form and the buttons take each other's place, and the focus would be lost with what was pressed.
  useEffect(() => {
    if (extending !== wasExtending.current) {
      const next = actions.current?.querySelector<HTMLElement>(
        extending ? 'input:not([type="hidden"])' : "button",
      );
      next?.focus();
    }
    wasExtending.current = extending;
  }, [extending]);
  const { timeZone } = useShared();
  // A user may have several purchases of one tool.
  const target = `${toolName}, bought ${formatDateTime(purchase.purchasedAt, timeZone)}`;
  return (
    <li className="flex flex-col gap-3 py-4">
      <div>
        <div className="flex flex-wrap items-center gap-2">
          <h3 className="text-sm">{toolName}</h3>
          {purchase.isActive ? <Badge tone="green">Active</Badge> : null}
          {purchase.testMode ? <TestBadge /> : null}
        </div>
        <p className="text-muted text-xs">{purchase.description ?? "No description available"}</p>
        {purchase.toolName === null ? (
          <p className="text-muted text-xs">It was called {purchasedName} when it was bought.</p>
        ) : null}
      </div>
      <dl className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,7rem),1fr))] gap-x-4 gap-y-2 text-sm">
        <Fact name="Amount">
          <Money>{formatPaise(purchase.amountPaise)}</Money>
        </Fact>
        <Fact name="Status">
          <PurchaseStatus {...purchase} />
        </Fact>
        <Fact name="Purchased">
          <AdminDate date={purchase.purchasedAt} />
        </Fact>
        <Fact name="Expires">
          <AdminDate date={purchase.accessEndsAt} missing="Unknown" />
        </Fact>
      </dl>
      {extending ? (
        <div ref={actions} className="rounded-control border border-line p-3">
          <ExpiryDateForm
            purchaseId={id}
            expiresAt={expiresAt}
            intent="set-expiry"
            onDone={close}
            onCancel={close}
          />
        </div>
      ) : (
        <div ref={actions} className="flex flex-wrap gap-2">
          <Button size="small" disabled={!canChangeExpiry(purchase)} onClick={() => setOpened("extend")}>
            Extend Date
            <span className="sr-only"> of {target}</span>
          </Button>
          <Button
            size="small"
            variant="quiet"
            className="text-red"
            disabled={!id}
            onClick={() => setOpened("delete")}
          >
            Delete Purchase
            <span className="sr-only"> of {target}</span>
          </Button>
        </div>
      )}
      <DeletePurchaseDialog
        purchase={purchase}
        toolName={purchase.toolName ?? purchasedName}
        open={opened === "delete"}
        onClose={close}
      />
    </li>
  );
}
