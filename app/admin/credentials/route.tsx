import { z } from "zod";
import {
  createCredential,
  deleteCredential,
  ensureCredential,
  type ListedCredential,
  listCredentialChoices,
  listCredentials,
  listToolsByService,
  revealCredential,
  updateCredential,
} from "#core/credentials/manage-credentials.server.ts";
import type { List } from "#core/lists/paging.ts";
import { Button } from "../../ui/button.tsx";
import { adminAction, loadForAdmin } from "../admin-routes.server.ts";
import { revalidateList, useDialogs } from "../dialogs/use-dialogs.ts";
import { ConfirmAction } from "../forms/admin-action.tsx";
import { callAdminAction } from "../forms/admin-result.ts";
import { ForAdmin, ListFailure } from "../lists/for-admin.tsx";
import { ListSection, SearchBox } from "../lists/list-section.tsx";
import { ListTable } from "../lists/list-table.tsx";
import { useListAddress } from "../lists/use-list-address.ts";
import type { Route } from "./+types/route";
import { CredentialDialog, type CredentialUse } from "./credential-dialog.tsx";
import { columnsOf, useRevealedPasswords } from "./table.tsx";

export function loader(args: Route.LoaderArgs) {
  return loadForAdmin(args, async (ctx, input) => {
    const [list, all, tools] = await Promise.all([
      listCredentials(ctx, input),
      listCredentialChoices(ctx),
      listToolsByService(ctx),
    ]);
    return { list, use: { all, tools } };
  });
}

export const shouldRevalidate = revalidateList;

const ensuredSchema = z.object({ isNew: z.boolean() });

export const action = adminAction({
  create: {
    run: createCredential,
    done: "Credential created successfully!",
    failed: "Failed to create credential",
  },
  ensure: {
    run: ensureCredential,
    done: (value) =>
      ensuredSchema.parse(value).isNew
        ? "Credential created successfully!"
        : "This credential already exists.",
    failed: "Failed to create credential",
  },
  update: {
    run: updateCredential,
    done: "Credential updated successfully!",
    failed: "Failed to update credential",
  },
  delete: {
    run: deleteCredential,
    done: "Credential deleted successfully!",
    failed: "Failed to delete credential",
  },
  reveal: { run: revealCredential, done: null, failed: "Failed to show the password" },
});

export const clientAction = callAdminAction;

export default function Credentials({ loaderData }: Route.ComponentProps) {
  return <ForAdmin data={loaderData}>{(data) => <CredentialsScreen {...data} />}</ForAdmin>;
}

export function ErrorBoundary() {
  return <ListFailure message="Failed to fetch credentials" />;
}

/** The tab 'Credentials'. */
export function CredentialsScreen({ list, use }: { list: List<ListedCredential>; use: CredentialUse }) {
  const address = useListAddress();
  const passwords = useRevealedPasswords();
  const dialogs = useDialogs(["add", "edit", "delete"], list);
  const form = dialogs.of("edit", "add");
  const deletion = dialogs.of("delete");
  const columns = columnsOf({
    address,
    passwords,
    onEdit: form.open,
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
        search={<SearchBox placeholder="Search by service name or email" />}
        action={
          <Button variant="strong" onClick={() => form.open(null)}>
            + Add Credential
          </Button>
        }
      >
        <ListTable
          label="Credentials"
          columns={columns}
          rows={list.rows}
          rowId={({ id }) => id}
          onPress={form.open}
        />
      </ListSection>
      <CredentialDialog form={form} use={use} />
      <ConfirmAction
        confirm={deletion}
        intent="delete"
        values={({ id }) => ({ id })}
        question={() => "Are you sure you want to delete this credential?"}
        confirmLabel="Delete Credential"
      >
        {({ service, email }) => (
          <p>
            <strong className="break-all font-semibold">{email}</strong>
            <span>{` for ${service}. Buyers can then no longer get it. The account at the service stays as it is.`}</span>
          </p>
        )}
      </ConfirmAction>
    </>
  );
}
