import { z } from "zod";
import { deleteUser } from "#core/accounts/delete-account.server.ts";
import { type ListedUser, listUsers, setUserActive } from "#core/accounts/manage-users.server.ts";
import { createResetLink } from "#core/accounts/reset-password.server.ts";
import { sellByHand } from "#core/checkout/sell-by-hand.server.ts";
import { releaseDeviceOfUser } from "#core/devices/manage-devices.server.ts";
import type { List } from "#core/lists/paging.ts";
import { formatPaise } from "#core/money.ts";
import { setPurchaseExpiry } from "#core/passes/change-pass-times.server.ts";
import { deletePurchase } from "#core/passes/end-purchases.server.ts";
import { assignTool } from "#core/passes/give-pass.server.ts";
import { listUnknownPayments } from "#core/payments/unknown-payments.server.ts";
import { revealImportedOriginal } from "#core/vault/imported-originals.server.ts";
import { Banner } from "../../ui/banner.tsx";
import { adminAction, loadForAdmin } from "../admin-routes.server.ts";
import { revalidateList, useDialogs } from "../dialogs/use-dialogs.ts";
import { ConfirmAction } from "../forms/admin-action.tsx";
import { callAdminAction } from "../forms/admin-result.ts";
import { ForAdmin, ListFailure } from "../lists/for-admin.tsx";
import { ListFilter, ListSection, SearchBox } from "../lists/list-section.tsx";
import { ListTable } from "../lists/list-table.tsx";
import { useListAddress } from "../lists/use-list-address.ts";
import type { Route } from "./+types/route";
import { AddToolsDialog } from "./add-tools-dialog.tsx";
import { DeleteUserDialog } from "./delete-user-dialog.tsx";
import { PurchasedToolsDialog } from "./purchased-tools-dialog.tsx";
import { ResetLinkDialog } from "./reset-link-dialog.tsx";
import { useUnknownPayment } from "./sell-by-hand-form.tsx";
import { columnsOf, USER_DIALOGS } from "./table.tsx";

export function loader(args: Route.LoaderArgs) {
  return loadForAdmin(args, async (ctx, input) => ({
    list: await listUsers(ctx, input),
    hasMailServer: ctx.ports.mailTransport !== null,
    // The address names one of them while its buyer is looked for.
    unknownPayments: input.payment === undefined ? [] : (await listUnknownPayments(ctx)).payments,
  }));
}

export const shouldRevalidate = revalidateList;

const soldSchema = z.object({ isTakenOver: z.boolean() });

function describeSale(value: unknown): string {
  if (!soldSchema.parse(value).isTakenOver) return "Sale recorded.";
  return 'Sale recorded. Nobody had confirmed the address of this account, so its password was removed: the buyer sets a new one with "Forgot password?", or with a link that you make here.';
}

export const action = adminAction({
  activate: {
    run: (ctx, input) => setUserActive(ctx, { ...input, isActive: true }),
    done: "User activated.",
    failed: "Failed to update user",
  },
  deactivate: {
    run: (ctx, input) => setUserActive(ctx, { ...input, isActive: false }),
    done: "User deactivated and signed out everywhere.",
    failed: "Failed to update user",
  },
  "create-reset-link": {
    run: createResetLink,
    done: null,
    failed: "Failed to create the link",
    refusals: { "user-disabled": "This account is inactive. Activate it first." },
  },
  delete: { run: deleteUser, done: "User deleted.", failed: "Failed to delete user" },
  assign: {
    run: assignTool,
    done: "Tool assigned.",
    failed: "Failed to assign tool. Please try again.",
    refusals: {
      "already-owned": "The user already has this tool.",
      "user-disabled": "This account is inactive. Activate it first.",
    },
  },
  "sell-by-hand": {
    run: sellByHand,
    done: describeSale,
    failed: "Failed to record the sale",
    refusals: {
      "already-owned": "The user already has this tool. Renew it by hand in Purchased Tools.",
      "renewal-waiting": "A renewal of this pass waits already.",
      "user-disabled": "This account is inactive. Activate it first.",
      "shop-not-confirmed": "First confirm that this is now the shop.",
      "tool-out-of-stock": "This tool is sold out. Add a unit of stock first.",
    },
  },
  "set-expiry": {
    run: setPurchaseExpiry,
    done: "Expiry date updated.",
    failed: "Failed to update purchase expiry",
  },
  "delete-purchase": {
    run: deletePurchase,
    done: "Purchase deleted.",
    failed: "Failed to delete purchase",
  },
  "reveal-original": {
    run: revealImportedOriginal,
    done: null,
    failed: "Failed to show the document",
  },
  "release-device": {
    run: releaseDeviceOfUser,
    done: "Device released.",
    failed: "Failed to release device",
  },
});

export const clientAction = callAdminAction;

export default function Users({ loaderData }: Route.ComponentProps) {
  return <ForAdmin data={loaderData}>{(data) => <UsersScreen {...data} />}</ForAdmin>;
}

export function ErrorBoundary() {
  return <ListFailure message="Failed to fetch profile data" />;
}

const PROVIDERS = [
  { value: "", label: "All Providers" },
  { value: "email", label: "Email" },
  { value: "google", label: "Google" },
];

/** The tab 'Users Management'. */
export function UsersScreen({ list, hasMailServer }: { list: List<ListedUser>; hasMailServer: boolean }) {
  const address = useListAddress();
  const payment = useUnknownPayment();
  const dialog = useDialogs(USER_DIALOGS, list);
  const user = dialog.row;
  return (
    <>
      {payment === null ? null : (
        <Banner>
          {`${formatPaise(payment.amountPaise)}, ${payment.gatewayPaymentId}: find the buyer, press Add Tools, and then “Paid by hand…” at the tool. A buyer whose account is missing has to sign up first.`}
        </Banner>
      )}
      <ListSection
        list={list}
        bulk={["activate-users", "deactivate-users", "delete-users"]}
        empty={{ title: "No users found", text: "Try adjusting your search or filter criteria." }}
        search={<SearchBox placeholder="Search users by email or name" />}
        filters={<ListFilter name="provider" label="Provider" options={PROVIDERS} />}
      >
        <ListTable
          label="Users"
          columns={columnsOf(address, hasMailServer, dialog.open)}
          rows={list.rows}
          rowId={({ id }) => id}
          rowName={({ email }) => email}
          onPress={(row) => dialog.open("purchased-tools", row)}
        />
      </ListSection>
      <ConfirmAction
        confirm={dialog.of("deactivate")}
        intent="deactivate"
        values={({ id }) => ({ userId: id })}
        question={({ name, email }) => `Deactivate ${name || email}?`}
        confirmLabel="Deactivate User"
      >
        {({ name, email }) => (
          <>
            {name ? <p className="break-all">{email}</p> : null}
            <p>
              The user is signed out everywhere at once, also in the browser extension, and cannot sign in
              again until you activate the account.
            </p>
            <p className="text-muted">
              Passes are kept and run on. A payment that arrives meanwhile is refunded.
            </p>
          </>
        )}
      </ConfirmAction>
      {user === null ? null : (
        <>
          <AddToolsDialog user={user} open={dialog.isOpen("add-tools")} onClose={dialog.close} />
          <PurchasedToolsDialog user={user} open={dialog.isOpen("purchased-tools")} onClose={dialog.close} />
          <ResetLinkDialog user={user} open={dialog.isOpen("reset-link")} onClose={dialog.close} />
          <DeleteUserDialog user={user} open={dialog.isOpen("delete")} onClose={dialog.close} />
        </>
      )}
    </>
  );
}
