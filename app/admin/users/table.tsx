import KeyRound from "lucide-react/icons/key-round";
import PackagePlus from "lucide-react/icons/package-plus";
import ShoppingBag from "lucide-react/icons/shopping-bag";
import Trash from "lucide-react/icons/trash-2";
import type { ListedUser } from "#core/accounts/manage-users.server.ts";
import { Badge } from "../../ui/badge.tsx";
import { classNames } from "../../ui/class-names.ts";
import { initialOf } from "../../ui/logo-tile.tsx";
import { useAdminAction } from "../forms/admin-action.tsx";
import { AdminDate, type ListColumn, sortable } from "../lists/list-table.tsx";
import { ActionsOfRow, RowAction } from "../lists/row-actions.tsx";
import type { ListAddress } from "../lists/use-list-address.ts";
import { PROVIDER_NAMES } from "./provider-names.ts";

export const USER_DIALOGS = ["add-tools", "purchased-tools", "reset-link", "delete", "deactivate"] as const;

type UserDialog = (typeof USER_DIALOGS)[number];

export function columnsOf(
  address: ListAddress,
  hasMailServer: boolean,
  open: (name: UserDialog, user: ListedUser) => void,
): ListColumn<ListedUser>[] {
  return [
    {
      id: "user",
      ...sortable(address, { sort: "email", label: "User", first: "asc" }),
      phone: "both",
      cell: UserCell,
    },
    { id: "provider", header: "Provider", cell: ({ provider }) => PROVIDER_NAMES[provider] },
    {
      id: "createdAt",
      ...sortable(address, { sort: "createdAt", label: "Signup Date", isDefault: true }),
      phone: "second-end",
      cell: ({ createdAt }) => <AdminDate date={createdAt} />,
    },
    {
      id: "lastLogin",
      ...sortable(address, { sort: "lastLogin", label: "Last Login" }),
      cell: ({ lastLogin }) => <AdminDate date={lastLogin} missing="Never" />,
    },
    {
      id: "status",
      header: "Status",
      phone: "first-end",
      cell: (user) => <StatusToggle user={user} onDeactivate={() => open("deactivate", user)} />,
    },
    {
      id: "actions",
      header: "Actions",
      phone: "menu",
      cell: (user) => (
        <UserActions user={user} hasMailServer={hasMailServer} open={(name) => open(name, user)} />
      ),
    },
  ];
}

interface UserActionsProps {
  user: ListedUser;
  hasMailServer: boolean;
  open: (name: UserDialog) => void;
}

function UserActions({ user, hasMailServer, open }: UserActionsProps) {
  const { email } = user;
  return (
    <ActionsOfRow name={email}>
      <RowAction label="Add Tools" icon={PackagePlus} target={email} onClick={() => open("add-tools")} />
      <RowAction
        label="Purchased Tools"
        icon={ShoppingBag}
        target={email}
        onClick={() => open("purchased-tools")}
      />
      {/* With a mail server the user gets the link by mail. */}
      {hasMailServer ? null : (
        <RowAction
          label="Reset Link"
          icon={KeyRound}
          target={email}
          unavailable={resetLinkUnavailable(user)}
          onClick={() => open("reset-link")}
        />
      )}
      <RowAction
        label="Delete"
        icon={Trash}
        target={email}
        danger
        unavailable={user.role === "admin" ? "An admin cannot be deleted." : null}
        onClick={() => open("delete")}
      />
    </ActionsOfRow>
  );
}

function resetLinkUnavailable({ role, isActive }: ListedUser): string | null {
  if (role === "admin") return "The password of an admin is reset on the server: npm run admin:reset.";
  return isActive ? null : "This user is deactivated and cannot sign in. Activate the user first.";
}

function UserCell({ name, email }: ListedUser) {
  const shown = name || "No name";
  return (
    <div className="flex min-w-0 items-center gap-3">
      <span
        aria-hidden="true"
        className="inline-flex size-9 shrink-0 items-center justify-center rounded-full bg-ink/8 font-semibold"
      >
        {initialOf(name || email)}
      </span>
      <div className="min-w-0">
        <p
          title={shown}
          className={classNames("max-[720px]:truncate", name ? "wrap-anywhere font-medium" : "text-muted")}
        >
          {shown}
        </p>
        <p title={email} className="break-all text-muted text-xs max-[720px]:truncate">
          {email}
        </p>
      </div>
    </div>
  );
}

interface StatusToggleProps {
  user: Pick<ListedUser, "id" | "email" | "role" | "isActive">;
  /** Asks before the user is deactivated. */
  onDeactivate: () => void;
}

/** Whether a user may sign in. A switch; admins cannot be deactivated. */
function StatusToggle({ user, onDeactivate }: StatusToggleProps) {
  const { id, email, role, isActive } = user;
  const action = useAdminAction();
  if (role === "admin" && isActive) return <Badge tone="green">Active</Badge>;
  const shown = action.busy ? !isActive : isActive;
  return (
    <button
      type="button"
      role="switch"
      aria-checked={shown}
      aria-busy={action.busy || undefined}
      title={shown ? "Deactivate" : "Activate"}
      onClick={() => {
        if (isActive) onDeactivate();
        else if (!action.busy) action.run("activate", { userId: id });
      }}
      className="-mx-2 inline-flex min-h-11 items-center gap-2 max-[720px]:-my-2 rounded-control px-2 hover:bg-ink/5 min-[720px]:min-h-9"
    >
      <span
        aria-hidden="true"
        className={classNames(
          "relative h-4.5 w-8 shrink-0 rounded-full border transition-colors duration-150 after:absolute after:top-px after:left-px after:size-3.5 after:rounded-full after:transition-transform after:duration-150",
          shown
            ? "border-green bg-green after:translate-x-3.5 after:bg-card"
            : "border-field bg-transparent after:bg-field",
        )}
      />
      <span className={classNames("font-medium text-xs", shown ? "text-green" : "text-red")}>
        {shown ? "Active" : "Inactive"}
      </span>
      <span className="sr-only">{`: ${email}`}</span>
    </button>
  );
}
