import { useState } from "react";
import {
  type ListedTool,
  listToolChoices,
  listToolsForAdmin,
} from "#core/catalog/list-tools-for-admin.server.ts";
import {
  createTool,
  deleteTool,
  sellWhenNotReady,
  updateTool,
} from "#core/catalog/tool-editing/manage-tools.server.ts";
import { OTHER_LANGUAGES } from "#core/catalog/translations.ts";
import { listCredentialChoices } from "#core/credentials/manage-credentials.server.ts";
import type { List } from "#core/lists/paging.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button, LinkButton } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { adminAction, loadForAdmin } from "../admin-routes.server.ts";
import { revalidateList, useDialogs } from "../dialogs/use-dialogs.ts";
import { ConfirmAction } from "../forms/admin-action.tsx";
import { callAdminAction } from "../forms/admin-result.ts";
import { languageName } from "../forms/translation-field.tsx";
import { ForAdmin, ListFailure } from "../lists/for-admin.tsx";
import { ListFilter, ListSection, SearchBox, WHILE_NARROWING } from "../lists/list-section.tsx";
import { ListTable } from "../lists/list-table.tsx";
import { useListAddress } from "../lists/use-list-address.ts";
import type { Route } from "./+types/route";
import { DownloadDialog, UploadDialog } from "./catalogue/catalogue-dialogs.tsx";
import { ToolDialog } from "./form/tool-dialog.tsx";
import type { FormChoices, ToolName } from "./form/tool-form-values.ts";
import { SaleDialogs } from "./sale-dialog.tsx";
import { toolColumns } from "./table.tsx";
import { WaitingBuyersDialog } from "./waiting-buyers-dialog.tsx";

export function loader(args: Route.LoaderArgs) {
  return loadForAdmin(args, async (ctx, input) => {
    const [list, choices, credentials] = await Promise.all([
      listToolsForAdmin(ctx, input),
      listToolChoices(ctx),
      listCredentialChoices(ctx),
    ]);
    return { list, tools: choices.map(({ id, name, category }) => ({ id, name, category })), credentials };
  });
}

export const shouldRevalidate = revalidateList;

export const action = adminAction({
  create: { run: createTool, done: "Tool added.", failed: "Failed to add tool" },
  update: { run: updateTool, done: "Tool updated.", failed: "Failed to update tool" },
  "sell-when-not-ready": { run: sellWhenNotReady, done: "Tool updated.", failed: "Failed to update tool" },
  delete: { run: deleteTool, done: "Tool deleted.", failed: "Failed to delete tool" },
});

export const clientAction = callAdminAction;

export default function Tools({ loaderData }: Route.ComponentProps) {
  return <ForAdmin data={loaderData}>{(data) => <ToolsScreen {...data} />}</ForAdmin>;
}

export function ErrorBoundary() {
  return <ListFailure message="Failed to fetch tools" />;
}

interface ToolsScreenProps extends FormChoices {
  list: List<ListedTool>;
}

/** The tab 'Tools Management'. */
export function ToolsScreen({ list, tools, credentials }: ToolsScreenProps) {
  const address = useListAddress();
  const dialogs = useDialogs(["add", "edit", "delete", "sale", "waiting", "download", "upload"], list);
  const form = dialogs.of("edit", "add");
  const deletion = dialogs.of("delete");
  const [added, setAdded] = useState<ToolName | null>(null);
  return (
    <>
      {added === null ? null : (
        <Banner>
          <div className="flex flex-wrap items-center justify-between gap-3">
            <p className="wrap-anywhere min-w-0">
              {`${added.name} is in the list. Buyers of a tool with codes need one for each of its servers.`}
            </p>
            <div className="flex flex-wrap gap-2">
              <Button size="small" variant="quiet" onClick={() => setAdded(null)}>
                Dismiss
              </Button>
              <LinkButton size="small" to={`/admin/access-codes?dialog=add&row=${added.id}`}>
                Add a code
              </LinkButton>
            </div>
          </div>
        </Banner>
      )}
      <ListSection
        list={list}
        empty={emptyText(address.get("q"), address.get("missing"))}
        search={<SearchBox placeholder="Search tools by name" />}
        filters={<ListFilter name="missing" label="Texts" options={MISSING_TEXTS} />}
        action={
          <div className="flex flex-wrap justify-end gap-2">
            <div data-narrows="" className={classNames("flex gap-2", WHILE_NARROWING)}>
              <Button onClick={() => dialogs.open("download", null)}>Download Catalogue</Button>
              <Button onClick={() => dialogs.open("upload", null)}>Upload Catalogue</Button>
            </div>
            <Button variant="strong" onClick={() => form.open(null)}>
              + Add Tool
            </Button>
          </div>
        }
      >
        <ListTable
          label="Tools"
          columns={toolColumns(address, {
            onEdit: form.open,
            onDelete: deletion.open,
            onSale: dialogs.of("sale").open,
            onWaiting: dialogs.of("waiting").open,
          })}
          rows={list.rows}
          rowId={({ id }) => id}
          onPress={form.open}
        />
      </ListSection>
      <ToolDialog
        open={form.isOpen}
        opening={form.key}
        tool={form.value}
        tools={tools}
        credentials={credentials}
        isDeleted={form.value !== null && !tools.some(({ id }) => id === form.value?.id)}
        current={form.current}
        onShowTheirs={form.open}
        onClose={form.close}
        onAdded={setAdded}
      />
      <ConfirmAction
        confirm={deletion}
        intent="delete"
        values={({ id }) => ({ toolId: id })}
        question={({ name }) => `Delete ${name}?`}
        confirmLabel="Delete Tool"
      >
        {() => <DeletionFacts />}
      </ConfirmAction>
      <SaleDialogs sale={dialogs.of("sale")} />
      {dialogs.row === null ? null : (
        <WaitingBuyersDialog tool={dialogs.row} open={dialogs.isOpen("waiting")} onClose={dialogs.close} />
      )}
      <DownloadDialog open={dialogs.isOpen("download")} onClose={dialogs.close} />
      <UploadDialog open={dialogs.isOpen("upload")} onClose={dialogs.close} />
    </>
  );
}

const MISSING_TEXTS = [
  { value: "", label: "All texts" },
  ...OTHER_LANGUAGES.map((language) => ({ value: language, label: `${languageName(language)} missing` })),
];

function emptyText(search: string, missing: string) {
  const title = "No tools found";
  if (search === "" && missing !== "") return { title, text: "Every tool has these texts." };
  return search === ""
    ? { title, text: "Get started by adding your first tool." }
    : { title, text: "Try adjusting your search." };
}

function DeletionFacts() {
  return (
    <>
      <p>It disappears from the shop and from this list. Buyers who are already paying can still finish.</p>
      <p>
        What stays: passes that are still running keep the tool’s page, its servers and codes until they end.
        Past purchases keep their name and price.
      </p>
      <p className="text-muted">To stop selling it for a while, edit it and make it inactive instead.</p>
    </>
  );
}
