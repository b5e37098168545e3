import type { UserDeletion } from "#core/accounts/delete-account.server.ts";
import type { ListedUser } from "#core/accounts/manage-users.server.ts";
import { Button } from "../../ui/button.tsx";
import { AdminDialog } from "../dialogs/admin-dialog.tsx";
import { DialogContent } from "../dialogs/dialog-content.tsx";
import { useAdminAction } from "../forms/admin-action.tsx";
import { ActionError } from "../forms/admin-form.tsx";

interface DeleteUserDialogProps {
  user: ListedUser;
  open: boolean;
  onClose: () => void;
}

/** Asks before a user is deleted, and names what goes with the account. */
export function DeleteUserDialog({ user, open, onClose }: DeleteUserDialogProps) {
  return (
    <AdminDialog
      open={open}
      onClose={onClose}
      title={<span>{`Delete ${user.name || user.email}?`}</span>}
      description={user.name ? user.email : undefined}
    >
      <DialogContent<UserDeletion>
        href={`/admin/users/${user.id}/deletion`}
        open={open}
        gone="This user has already been deleted."
      >
        {(deletion) => <Confirmation userId={user.id} deletion={deletion} onClose={onClose} />}
      </DialogContent>
    </AdminDialog>
  );
}

function Confirmation({
  userId,
  deletion,
  onClose,
}: {
  userId: string;
  deletion: UserDeletion;
  onClose: () => void;
}) {
  const { passes, checkouts } = deletion;
  const action = useAdminAction({ onDone: onClose });
  return (
    <div className="flex flex-col gap-4 text-sm">
      <p>This cannot be undone. At once:</p>
      <ul className="flex list-disc flex-col gap-1 pl-5">
        {passes > 0 ? (
          <li>
            <strong className="font-semibold">
              {passes === 1 ? "1 running pass ends" : `${passes} running passes end`}
            </strong>
            , without a refund. To pay money back, cancel the purchase first.
          </li>
        ) : null}
        {checkouts > 0 ? (
          <li>{checkouts === 1 ? "1 open checkout ends." : `${checkouts} open checkouts end.`}</li>
        ) : null}
        <li>The user is signed out everywhere and cannot sign in again.</li>
        <li>
          The name, email address and unsent emails are removed. The user and most purchases disappear from
          the lists.
        </li>
      </ul>
      <p className="text-muted">
        Payments stay in the books without a name, so Total Revenue does not change.
      </p>
      <ActionError result={action.result} />
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="danger" busy={action.busy} onClick={() => action.run("delete", { userId })}>
          Delete User
        </Button>
      </div>
    </div>
  );
}
