import type { ListedTool } from "#core/catalog/list-tools-for-admin.server.ts";
import type { List } from "#core/paging.ts";
import { Button } from "../../ui/button.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { useOpened } from "../forms/use-opened.ts";
import { SearchBox } from "../lists/list-controls.tsx";
import { ListSection } from "../lists/list-section.tsx";
import { useListAddress } from "../lists/use-list-address.ts";
import { DownloadDialog } from "./catalogue/download-dialog.tsx";
import { UploadDialog } from "./catalogue/upload-dialog.tsx";
import { DeleteToolDialog } from "./delete-tool-dialog.tsx";
import { ToolDialog } from "./form/tool-dialog.tsx";
import type { ToolName } from "./form/tool-form-values.ts";
import { toolColumns } from "./tool-columns.tsx";

interface ToolsScreenProps {
  list: List<ListedTool>;
  /** All tools, by name. */
  tools: readonly ToolName[];
}

/** The tab 'Tools Management'. */
export function ToolsScreen({ list, tools }: ToolsScreenProps) {
  const address = useListAddress();
  /** null: a new tool. */
  const form = useOpened<ListedTool | null>();
  const deletion = useOpened<ListedTool>();
  const transfer = useOpened<"download" | "upload">();
  return (
    <>
      <ListSection
        list={list}
        empty={emptyText(address.get("q"))}
        controls={<SearchBox placeholder="Search tools by name" />}
        action={
          <div className="flex w-full flex-wrap gap-2 sm:w-auto sm:flex-nowrap">
            <Button
              className="flex-1 sm:flex-none sm:whitespace-nowrap"
              onClick={() => transfer.open("download")}
            >
              Download Catalogue
            </Button>
            <Button
              className="flex-1 sm:flex-none sm:whitespace-nowrap"
              onClick={() => transfer.open("upload")}
            >
              Upload Catalogue
            </Button>
            <Button
              variant="strong"
              className="w-full whitespace-nowrap max-sm:order-first sm:w-auto"
              onClick={() => form.open(null)}
            >
              + Add Tool
            </Button>
          </div>
        }
      >
        <DataTable
          label="Tools"
          columns={toolColumns(address, {
            onEdit: form.open,
            onDelete: deletion.open,
          })}
          rows={list.rows}
          rowId={({ id }) => id}
        />
      </ListSection>
      <ToolDialog
        open={form.isOpen}
        opening={form.key}
        tool={form.value}
        tools={tools}
        notice={form.value === null ? null : noticeOf(form.value, list, tools)}
        onClose={form.close}
      />
      <DeleteToolDialog open={deletion.isOpen} tool={deletion.value} onClose={deletion.close} />
      <DownloadDialog open={transfer.isOpen && transfer.value === "download"} onClose={transfer.close} />
      <UploadDialog open={transfer.isOpen && transfer.value === "upload"} onClose={transfer.close} />
    </>
  );
}

function emptyText(search: string) {
  const title = "No tools found";
  return search === ""
    ? { title, text: "Get started by adding your first tool." }
    : { title, text: "Try adjusting your search." };
}

/** What has become of the tool of an open form, in a list that follows the changes of others. */
function noticeOf(tool: ListedTool, list: List<ListedTool>, tools: readonly ToolName[]): string | null {
  if (!tools.some(({ id }) => id === tool.id)) return "Somebody else has deleted this tool in the meantime.";
  const row = list.rows.find(({ id }) => id === tool.id);
  return row === undefined || row.version === tool.version
    ? null
    : "Somebody else has changed this tool in the meantime. Close this form and open it again: it can no longer be saved.";
}
