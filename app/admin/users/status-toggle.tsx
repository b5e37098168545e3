import type { ListedUser } from "#core/accounts/administration/list-users.server.ts";
import { Badge } from "../../ui/badge.tsx";
import { classNames } from "../../ui/class-names.ts";
import { useAdminAction } from "../forms/use-admin-action.ts";

interface StatusToggleProps {
  user: Pick<ListedUser, "id" | "email" | "role" | "isActive">;
  /** Asks before the user is deactivated. */
  onDeactivate: () => void;
}

/** Whether a user may sign in. A switch; admins cannot be deactivated. */
export function StatusToggle({ user, onDeactivate }: StatusToggleProps) {
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
      className="-mx-2 inline-flex min-h-11 items-center gap-2 rounded-control px-2 hover:bg-ink/5 min-[720px]:min-h-9"
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
      <span className="sr-only">: {email}</span>
    </button>
  );
}
