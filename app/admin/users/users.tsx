import { deleteUser } from "#core/accounts/administration/delete-user.server.ts";
import { listUsers } from "#core/accounts/administration/list-users.server.ts";
import { setUserActive } from "#core/accounts/administration/set-user-active.server.ts";
import { createResetLink } from "#core/accounts/passwords/reset-password.server.ts";
import { releaseDeviceOfUser } from "#core/devices/change-devices.server.ts";
import { setPurchaseExpiry } from "#core/passes/change-pass-times.server.ts";
import { deletePurchase } from "#core/passes/end-purchases.server.ts";
import { assignTool } from "#core/passes/give-pass.server.ts";
import { adminAction } from "../forms/admin-action.server.ts";
import { callAdminAction } from "../forms/admin-result.ts";
import { ForAdmin } from "../lists/for-admin.tsx";
import { ListFailure } from "../lists/list-failure.tsx";
import { loadForAdmin } from "../lists/load-list.server.ts";
import type { Route } from "./+types/users";
import { UsersScreen } from "./users-screen.tsx";

export function loader(args: Route.LoaderArgs) {
  return loadForAdmin(args, async (ctx, input) => ({
    list: await listUsers(ctx, input),
    hasMailServer: ctx.ports.mailTransport !== null,
  }));
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
