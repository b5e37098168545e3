import { type RefObject, useEffect, useRef } from "react";
import { useFetcher } from "react-router";
import { Button } from "../../ui/button.tsx";
import { PasswordInput } from "../../ui/forms/password-input.tsx";
import { UsernameField } from "../../ui/forms/username-field.tsx";
import { useShared } from "../../use-shared.ts";
import { AdminDialog } from "../dialogs/admin-dialog.tsx";
import type { AdminResult } from "../forms/admin-result.ts";

interface PasswordDialogProps {
  open: boolean;
  onClose: () => void;
  onConfirmed: () => void;
}

/** Asks for the admin's password, which was last entered too long ago. */
export function PasswordDialog({ open, onClose, onConfirmed }: PasswordDialogProps) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <AdminDialog
      isAddressed={false}
      open={open}
      onClose={onClose}
      initialFocus={field}
      title="Enter your password"
      description="Please enter it again to continue: you last entered it more than 15 minutes ago."
    >
      <PasswordForm field={field} onClose={onClose} onConfirmed={onConfirmed} />
    </AdminDialog>
  );
}

/** Mounted anew each time the dialog opens, so that no earlier answer counts. */
function PasswordForm({
  field,
  onClose,
  onConfirmed,
}: Omit<PasswordDialogProps, "open"> & { field: RefObject<HTMLInputElement | null> }) {
  const fetcher = useFetcher<AdminResult>();
  const handled = useRef(false);
  const result = fetcher.state === "idle" ? fetcher.data : undefined;
  useEffect(() => {
    if (!result?.ok || handled.current) return;
    handled.current = true;
    onConfirmed();
  });
  return (
    <fetcher.Form method="post" action="/admin" noValidate className="flex flex-col gap-4">
      <input type="hidden" name="intent" value="confirm-password" />
      <UsernameField email={useShared().user?.email ?? ""} />
      <PasswordInput
        ref={field}
        label="Password"
        name="password"
        autoComplete="current-password"
        errors={result && !result.ok ? [result.message] : undefined}
        required
      />
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="strong" busy={fetcher.state !== "idle"}>
          Continue
        </Button>
      </div>
    </fetcher.Form>
  );
}
