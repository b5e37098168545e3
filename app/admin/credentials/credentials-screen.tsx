import Eye from "lucide-react/icons/eye";
import EyeOff from "lucide-react/icons/eye-off";
import { z } from "zod";
import type { ListedCredential } from "#core/credentials/manage-credentials.server.ts";
import type { List } from "#core/paging.ts";
import { ActiveBadge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmAction } from "../forms/confirm-action.tsx";
import { useAdminAction } from "../forms/use-admin-action.ts";
import { useOpened } from "../forms/use-opened.ts";
import { AdminDate } from "../lists/admin-date.tsx";
import { SearchBox } from "../lists/list-controls.tsx";
import { ListSection } from "../lists/list-section.tsx";
import { ListTable } from "../lists/list-table.tsx";
import { RowAction } from "../lists/row-action.tsx";
import { RowActions } from "../lists/row-actions.tsx";
import { type ListColumn, sortable } from "../lists/sortable.tsx";
import { type ListAddress, useListAddress } from "../lists/use-list-address.ts";
import { CredentialDialog } from "./credential-dialog.tsx";
import { type RevealedPasswords, useRevealedPasswords } from "./use-revealed-passwords.ts";

/** The tab 'Credentials'. */
export function CredentialsScreen({ list }: { list: List<ListedCredential> }) {
  const address = useListAddress();
  const passwords = useRevealedPasswords();
  const form = useOpened<{ credential: ListedCredential | null }>();
  const deletion = useOpened<ListedCredential>();
  const columns = columnsOf({
    address,
    passwords,
    onEdit: (credential) => form.open({ credential }),
    onDelete: deletion.open,
  });
  return (
    <>
      <ListSection
        list={list}
        empty={{
          title: "No credentials found",
          text:
            address.get("q") === ""
              ? "Buyers sign in at a service with its shared email and password."
              : "Try adjusting your search.",
        }}
        controls={<SearchBox placeholder="Search by service name or email" />}
        action={
          <Button variant="strong" onClick={() => form.open({ credential: null })}>
            + Add Credential
          </Button>
        }
      >
        <ListTable label="Credentials" columns={columns} rows={list.rows} rowId={({ id }) => id} />
      </ListSection>
      <CredentialDialog form={form} rows={list.rows} />
      <ConfirmAction
        confirm={deletion}
        intent="delete"
        values={({ id }) => ({ id })}
        question={() => "Are you sure you want to delete this credential?"}
        confirmLabel="Delete Credential"
      >
        {({ service, email }) => (
          <p>
            <strong className="break-all font-semibold">{email}</strong> for {service}. Buyers can then no
            longer get it. The account at the service stays as it is.
          </p>
        )}
      </ConfirmAction>
    </>
  );
}

function columnsOf(options: {
  address: ListAddress;
  passwords: RevealedPasswords;
  onEdit: (credential: ListedCredential) => void;
  onDelete: (credential: ListedCredential) => void;
}): ListColumn<ListedCredential>[] {
  const { address, passwords, onEdit, onDelete } = options;
  return [
    {
      id: "service",
      ...sortable(address, { sort: "service", label: "Service", first: "asc" }),
      cardLabel: null,
      cell: ({ service }) => <span className="wrap-anywhere font-semibold">{service}</span>,
    },
    {
      id: "email",
      ...sortable(address, { sort: "email", label: "Email", first: "asc" }),
      cell: ({ email }) => <span className="break-all">{email}</span>,
    },
    {
      id: "password",
      header: "Password",
      cell: (credential) => (
        <span className="break-all font-mono">{passwords.of(credential) ?? credential.passwordMasked}</span>
      ),
    },
    { id: "status", header: "Status", cell: ({ isActive }) => <ActiveBadge isActive={isActive} /> },
    {
      id: "createdAt",
      ...sortable(address, { sort: "createdAt", label: "Created At", isDefault: true }),
      cell: ({ createdAt }) => <AdminDate date={createdAt} />,
    },
    {
      id: "actions",
      header: "Actions",
      cardLabel: null,
      className: "min-[720px]:w-px",
      cell: (credential) => (
        <CredentialActions
          credential={credential}
          passwords={passwords}
          onEdit={() => onEdit(credential)}
          onDelete={() => onDelete(credential)}
        />
      ),
    },
  ];
}

const revealedSchema = z.object({ password: z.string() });

interface CredentialActionsProps {
  credential: ListedCredential;
  passwords: RevealedPasswords;
  onEdit: () => void;
  onDelete: () => void;
}

/** Show Password shows it in the row for a minute. */
function CredentialActions({ credential, passwords, onEdit, onDelete }: CredentialActionsProps) {
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
