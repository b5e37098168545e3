import type { ListedUser } from "#core/accounts/administration/list-users.server.ts";
import type { UserPurchase } from "#core/pass-management/list-user-purchases.server.ts";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { ScrollRegion } from "../../../ui/scroll-region.tsx";
import { AdminDialog } from "../../dialogs/admin-dialog.tsx";
import { DialogContent } from "../../dialogs/dialog-content.tsx";
import type { PurchasedTools } from "../endpoints/purchased-tools.ts";
import { DevicesOfUser } from "./devices-of-user.tsx";
import { PurchasedTool } from "./purchased-tool.tsx";

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
        {({ purchases, devices }) => (
          <>
            <Purchases purchases={purchases} />
            <DevicesOfUser userId={user.id} devices={devices} />
          </>
        )}
      </DialogContent>
    </AdminDialog>
  );
}

function Purchases({ purchases }: { purchases: UserPurchase[] }) {
  if (purchases.length === 0) return <EmptyState title="No tools purchased yet" />;
  return (
    <ScrollRegion
      as="ul"
      label="Purchased tools"
      className="-mx-2 flex max-h-96 flex-col divide-y divide-line rounded-control px-2"
    >
      {purchases.map((purchase) => (
        <PurchasedTool key={purchase.id} purchase={purchase} />
      ))}
    </ScrollRegion>
  );
}
