import { useState } from "react";
import type { ListedTool } from "#core/catalog/list-tools-for-admin.server.ts";
import type { List } from "#core/paging.ts";
import { Button } from "../../ui/button.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { SearchBox } from "../lists/list-controls.tsx";
import { ListSection } from "../lists/list-section.tsx";
import { useListAddress } from "../lists/use-list-address.ts";
import { DownloadDialog } from "./catalogue/download-dialog.tsx";
import { UploadDialog } from "./catalogue/upload-dialog.tsx";
import { DeleteToolDialog } from "./delete-tool-dialog.tsx";
import { ToolDialog } from "./form/tool-dialog.tsx";
import type { ToolName } from "./form/tool-form-values.ts";
import { toolColumns } from "./tool-columns.tsx";

/** A dialog, and the tool that it was opened with: the list may lose the row meanwhile. */
interface Opened {
  dialog: "form" | "delete" | "download" | "upload" | null;
  tool: ListedTool | null;
  /** How many were opened: a form that is opened again starts anew, also while the last one still closes. */
  count: number;
}

interface ToolsScreenProps {
  list: List<ListedTool>;
  /** All tools, by name. */
  tools: readonly ToolName[];
}

/** The tab 'Tools Management'. */
export function ToolsScreen({ list, tools }: ToolsScreenProps) {
  const address = useListAddress();
  const [{ dialog, tool, count }, setOpened] = useState<Opened>({ dialog: null, tool: null, count: 0 });
  const open = (next: Opened["dialog"], about: ListedTool | null = null) =>
    setOpened((before) => ({ dialog: next, tool: about, count: before.count + 1 }));
  // The tool stays, because the dialog still shows it while it closes.
  const close = () => setOpened((before) => ({ ...before, dialog: null }));
  return (
    <>
      <ListSection
        list={list}
        empty={emptyText(address.get("q"))}
        controls={<SearchBox placeholder="Search tools by name" />}
        action={
          <div className="flex w-full flex-wrap gap-2 sm:w-auto">
            <Button className="flex-1" onClick={() => open("download")}>
              Download catalogue
            </Button>
            <Button className="flex-1" onClick={() => open("upload")}>
              Upload catalogue
            </Button>
            <Button
              variant="strong"
              className="w-full max-sm:order-first sm:w-auto"
              onClick={() => open("form")}
            >
              + Add Tool
            </Button>
          </div>
        }
      >
        <DataTable
          label="Tools"
          columns={toolColumns(address, {
            onEdit: (row) => open("form", row),
            onDelete: (row) => open("delete", row),
          })}
          rows={list.rows}
          rowId={({ id }) => id}
        />
      </ListSection>
      <ToolDialog
        open={dialog === "form"}
        opening={count}
        tool={tool}
        tools={tools}
        notice={tool === null ? null : noticeOf(tool, list, tools)}
        onClose={close}
      />
      <DeleteToolDialog open={dialog === "delete"} tool={tool} onClose={close} />
      <DownloadDialog open={dialog === "download"} onClose={close} />
      <UploadDialog open={dialog === "upload"} onClose={close} />
    </>
  );
}

function emptyText(search: string) {
  const title = "No tools found";
  return search === ""
    ? { title, text: "Get started by adding your first tool." }
    : { title, text: "No tool has this in its name." };
}

/** What has become of the tool of an open form, in a list that follows the changes of others. */
function noticeOf(tool: ListedTool, list: List<ListedTool>, tools: readonly ToolName[]): string | null {
  if (!tools.some(({ id }) => id === tool.id)) return "Somebody else has deleted this tool meanwhile.";
  const row = list.rows.find(({ id }) => id === tool.id);
  return row === undefined || row.version === tool.version
    ? null
    : "Somebody else has changed this tool meanwhile. Open it again to see the change: this form can no longer be saved.";
}
