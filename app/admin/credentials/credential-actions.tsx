import Eye from "lucide-react/icons/eye";
import EyeOff from "lucide-react/icons/eye-off";
import { z } from "zod";
import type { ListedCredential } from "#core/credentials/list-credentials.server.ts";
import { useAdminAction } from "../forms/use-admin-action.ts";
import { RowAction } from "../lists/row-action.tsx";
import { RowActions } from "../lists/row-actions.tsx";
import type { RevealedPasswords } from "./use-revealed-passwords.ts";

const revealedSchema = z.object({ password: z.string() });

interface CredentialActionsProps {
  credential: ListedCredential;
  passwords: RevealedPasswords;
  onEdit: () => void;
  onDelete: () => void;
}

/** Show Password shows it in the row for a minute. */
export function CredentialActions({ credential, passwords, onEdit, onDelete }: CredentialActionsProps) {
  const { id, service, email } = credential;
  const reveal = useAdminAction({
    onDone: (value) => passwords.show(credential, revealedSchema.parse(value).password),
  });
  const isShown = passwords.of(credential) !== undefined;
  return (
    <RowActions name={`${service}, ${email}`} onEdit={onEdit} onDelete={onDelete}>
      <RowAction
        label={isShown ? "Hide Password" : "Show Password"}
        icon={isShown ? EyeOff : Eye}
        target={`${service}, ${email}`}
        onClick={() => (isShown ? passwords.hide(credential) : reveal.run("reveal", { id }))}
      />
    </RowActions>
  );
}
