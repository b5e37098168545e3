import Eye from "lucide-react/icons/eye";
import EyeOff from "lucide-react/icons/eye-off";
import { z } from "zod";
import type { ListedCredential } from "#core/credentials/list-credentials.server.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { useAdminAction } from "../forms/use-admin-action.ts";
import { RowActions } from "../lists/row-actions.tsx";
import type { RevealedPasswords } from "./use-revealed-passwords.ts";

const revealed = z.object({ password: z.string() });

interface CredentialActionsProps {
  credential: ListedCredential;
  passwords: RevealedPasswords;
  onEdit: () => void;
  onDelete: () => void;
}

/** Reveal shows the password in the row for a minute. */
export function CredentialActions({ credential, passwords, onEdit, onDelete }: CredentialActionsProps) {
  const { id, service, email } = credential;
  const reveal = useAdminAction({
    onDone: (value) => passwords.show(credential, revealed.parse(value).password),
  });
  const isShown = passwords.of(credential) !== undefined;
  const Icon = isShown ? EyeOff : Eye;
  return (
    <RowActions name={`${service}, ${email}`} onEdit={onEdit} onDelete={onDelete}>
      <IconButton
        label={`${isShown ? "Hide" : "Reveal"} the password of ${service}, ${email}`}
        aria-busy={reveal.busy || undefined}
        onClick={() => (isShown ? passwords.hide(credential) : reveal.run("reveal", { id }))}
      >
        <Icon className="size-4" aria-hidden="true" />
      </IconButton>
    </RowActions>
  );
}
