import { useEffect, useRef, useState } from "react";
import type { ListedUser } from "#core/accounts/manage-users.server.ts";
import type { listDevicesOfUser } from "#core/devices/manage-devices.server.ts";
import { formatPaise } from "#core/money.ts";
import type { ToolToAssign } from "#core/passes/give-pass.server.ts";
import type { UserPurchase } from "#core/passes/list-purchases.server.ts";
import { formatDateTime, hasNoEnd } from "#core/time.ts";
import { DateOnly } from "../../time/date-time.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialogs/dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Fact } from "../../ui/fact.tsx";
import { ScrollRegion } from "../../ui/regions.tsx";
import { Money, VisuallyHidden } from "../../ui/text.tsx";
import { useShared } from "../../use-shared.ts";
import { AdminDialog } from "../dialogs/admin-dialog.tsx";
import { DialogContent } from "../dialogs/dialog-content.tsx";
import { useOpened } from "../dialogs/opened.ts";
import { ConfirmAction, useAdminAction } from "../forms/admin-action.tsx";
import { ActionError } from "../forms/admin-form.tsx";
import { OldShopUser } from "../imports/old-shop-documents.tsx";
import { AdminDate } from "../lists/list-table.tsx";
import { ExpiryDateForm } from "../purchases/extend-dialog.tsx";
import { canChangeExpiry, nameOfSource, PurchaseStatus, TestBadge } from "../purchases/purchase-status.tsx";
import type { PurchasedTools } from "./purchased-tools.ts";
import { SellByHandForm } from "./sell-by-hand-form.tsx";

interface PurchasedToolsDialogProps {
  user: ListedUser;
  open: boolean;
  onClose: () => void;
}

/** The purchases and the devices of one user. */
export function PurchasedToolsDialog({ user, open, onClose }: PurchasedToolsDialogProps) {
  return (
    <AdminDialog
      open={open}
      onClose={onClose}
      size="large"
      holdsForm
      title="Purchased Tools"
      description={
        <span className="break-all">{user.name ? `${user.name} · ${user.email}` : user.email}</span>
      }
    >
      <DialogContent<PurchasedTools>
        href={`/admin/users/${user.id}/purchases`}
        open={open}
        gone="This user has been deleted."
      >
        {({ purchases, tools, devices, originals }) => (
          <>
            <Purchases userId={user.id} purchases={purchases} tools={tools} />
            <OldShopUser originals={originals} />
            <DevicesOfUser userId={user.id} devices={devices} />
          </>
        )}
      </DialogContent>
    </AdminDialog>
  );
}

interface PurchasesProps {
  userId: string;
  purchases: UserPurchase[];
  /** The tools that can be renewed by hand. */
  tools: ToolToAssign[];
}

function Purchases({ userId, purchases, tools }: PurchasesProps) {
  if (purchases.length === 0) return <EmptyState title="No tools purchased yet" />;
  return (
    <ScrollRegion
      as="ul"
      label="Purchased tools"
      className="-mx-2 flex max-h-96 flex-col divide-y divide-line rounded-control px-2"
    >
      {purchases.map((purchase) => (
        <PurchasedTool
          key={purchase.id}
          userId={userId}
          purchase={purchase}
          tool={tools.find(({ id }) => id === purchase.toolId) ?? null}
        />
      ))}
    </ScrollRegion>
  );
}

type Device = Awaited<ReturnType<typeof listDevicesOfUser>>[number];

/** The browsers in which a user has connected the extension, each with a button that releases it. */
function DevicesOfUser({ userId, devices }: { userId: string; devices: Device[] }) {
  const release = useOpened<Device>();
  return (
    <>
      {devices.length === 0 ? null : (
        <section aria-labelledby="devices-of-user" className="flex flex-col border-line border-t pt-4">
          <h3 id="devices-of-user" className="text-base">
            Devices
          </h3>
          <ul className="divide-y divide-line">
            {devices.map((device) => (
              <DeviceRow key={device.id} device={device} onRelease={() => release.open(device)} />
            ))}
          </ul>
        </section>
      )}
      <ConfirmAction
        confirm={release}
        intent="release-device"
        values={({ id }) => ({ userId, deviceId: id })}
        question={({ shownName }) => `Release ${shownName}?`}
        confirmLabel="Release"
      >
        {() => (
          <p>
            The extension in this browser stops working at once, and the user can connect another browser
            instead. It is not counted as a release by the user.
          </p>
        )}
      </ConfirmAction>
    </>
  );
}

function DeviceRow({ device, onRelease }: { device: Device; onRelease: () => void }) {
  const { shownName, connectedAt, lastSeenAt, extensionVersion } = device;
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3">
      <div className="min-w-40 flex-1">
        <p className="wrap-anywhere font-medium text-sm">{shownName}</p>
        <p className="text-muted text-xs">
          <span>Connected </span>
          <DateOnly date={connectedAt} />
          <span> · last seen </span>
          <DateOnly date={lastSeenAt} />
          <span>{` · version ${extensionVersion}`}</span>
        </p>
      </div>
      <Button size="small" onClick={onRelease}>
        <span>Release</span>
        <VisuallyHidden>{` ${shownName}`}</VisuallyHidden>
      </Button>
    </li>
  );
}

/** One purchase of a user, with what an admin can do to it. */
function PurchasedTool(props: { userId: string; purchase: UserPurchase; tool: ToolToAssign | null }) {
  const { userId, purchase, tool } = props;
  const { id, purchasedName, expiresAt } = purchase;
  const toolName = purchase.toolName ?? "Unknown Tool";
  const [opened, setOpened] = useState<"extend" | "renew" | "delete" | null>(null);
  const close = () => setOpened(null);
  const isFilling = opened === "extend" || opened === "renew";
  const wasFilling = useRef(false);
  const actions = useRef<HTMLDivElement>(null);
  // The form and the buttons take each other's place, and the focus would be lost with what was pressed.
  useEffect(() => {
    if (isFilling !== wasFilling.current) {
      const next = actions.current?.querySelector<HTMLElement>(
        isFilling ? 'input:not([type="hidden"]), select' : "button",
      );
      next?.focus();
    }
    wasFilling.current = isFilling;
  }, [isFilling]);
  const { timeZone } = useShared();
  // A user may have several purchases of one tool.
  const target = `${toolName}, bought ${formatDateTime(purchase.purchasedAt, timeZone)}`;
  return (
    <li className="flex flex-col gap-3 py-4">
      <div>
        <div className="flex flex-wrap items-center gap-2">
          <h3 className="text-sm">{toolName}</h3>
          {purchase.isActive ? <Badge tone="green">Active</Badge> : null}
          {purchase.waitsUntil === null ? null : (
            <Badge>
              <span>Starts </span>
              <AdminDate date={purchase.waitsUntil} />
            </Badge>
          )}
          {purchase.testMode ? <TestBadge /> : null}
          {purchase.source === "import" ? (
            <span className="text-muted text-xs">{nameOfSource(purchase)}</span>
          ) : null}
        </div>
        <p className="text-muted text-xs">{purchase.description ?? "No description available"}</p>
        {purchase.toolName === null ? (
          <p className="text-muted text-xs">{`It was called ${purchasedName} when it was bought.`}</p>
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
      {isFilling ? (
        <div ref={actions} className="rounded-control border border-line p-3">
          {opened === "renew" && tool !== null ? (
            <SellByHandForm userId={userId} tool={tool} renews onDone={close} onCancel={close} />
          ) : (
            <ExpiryDateForm
              purchaseId={id}
              expiresAt={expiresAt}
              intent="set-expiry"
              onDone={close}
              onCancel={close}
            />
          )}
        </div>
      ) : (
        <div ref={actions} className="flex flex-wrap gap-2">
          <Button size="small" disabled={!canChangeExpiry(purchase)} onClick={() => setOpened("extend")}>
            Extend Date
            <span className="sr-only">{` of ${target}`}</span>
          </Button>
          {purchase.isActive && tool !== null && !(expiresAt && hasNoEnd(expiresAt)) ? (
            <Button size="small" onClick={() => setOpened("renew")}>
              Renew by hand
              <span className="sr-only">{` ${target}`}</span>
            </Button>
          ) : null}
          <Button
            size="small"
            variant="quiet"
            className="text-red"
            disabled={!id}
            onClick={() => setOpened("delete")}
          >
            Delete Purchase
            <span className="sr-only">{` of ${target}`}</span>
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

interface DeletePurchaseDialogProps {
  purchase: UserPurchase;
  toolName: string;
  open: boolean;
  onClose: () => void;
}

/** Asks before a purchase is deleted. */
function DeletePurchaseDialog({ purchase, toolName, open, onClose }: DeletePurchaseDialogProps) {
  const { id, amountPaise, isActive, status, endedReason, source, testMode } = purchase;
  const action = useAdminAction({ onDone: onClose });
  // The old shop took the money of an imported purchase.
  const isPaid =
    source !== "import" && amountPaise > 0 && (status === "completed" || status === "active") && !testMode;
  return (
    <ConfirmDialog
      open={open}
      title="Delete this purchase?"
      confirmLabel="Delete Purchase"
      busy={action.busy}
      onConfirm={() => action.run("delete-purchase", { purchaseId: id })}
      onClose={onClose}
    >
      <p>
        {`${isActive ? `The access to ${toolName} ends at once, and the` : `The`} purchase of ${toolName} disappears from every list. This cannot be undone.`}
      </p>
      {isPaid && endedReason !== null ? (
        <p className="text-muted">
          This moves no money. View the purchase in User Purchases to see whether it was refunded.
        </p>
      ) : null}
      {isPaid && endedReason === null ? (
        <p className="text-muted">
          <Money>{formatPaise(amountPaise)}</Money>
          <span>
            {" "}
            is not paid back, and Total Revenue does not change. To pay it back, cancel the purchase in User
            Purchases instead.
          </span>
        </p>
      ) : null}
      <ActionError result={action.result} />
    </ConfirmDialog>
  );
}
