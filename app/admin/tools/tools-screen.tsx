import type { ListedTool } from "#core/catalog/list-tools-for-admin.server.ts";
import type { List } from "#core/paging.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmAction } from "../forms/confirm-action.tsx";
import { type Opened, useOpened } from "../forms/use-opened.ts";
import { SearchBox } from "../lists/list-controls.tsx";
import { ListSection } from "../lists/list-section.tsx";
import { ListTable } from "../lists/list-table.tsx";
import { useListAddress } from "../lists/use-list-address.ts";
import { DownloadDialog } from "./catalogue/download-dialog.tsx";
import { UploadDialog } from "./catalogue/upload-dialog.tsx";
import { ToolDialog } from "./form/tool-dialog.tsx";
import type { FormChoices } from "./form/tool-form-values.ts";
import { toolColumns } from "./tool-columns.tsx";

interface ToolsScreenProps extends FormChoices {
  list: List<ListedTool>;
}

/** The tab 'Tools Management'. */
export function ToolsScreen({ list, tools, credentials }: ToolsScreenProps) {
  const address = useListAddress();
  /** null: a new tool. */
  const form = useOpened<ListedTool | null>();
  const deletion = useOpened<ListedTool>();
  const sale = useOpened<ListedTool>();
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
        <ListTable
          label="Tools"
          columns={toolColumns(address, {
            onEdit: form.open,
            onDelete: deletion.open,
            onSale: sale.open,
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
        credentials={credentials}
        isDeleted={form.value !== null && !tools.some(({ id }) => id === form.value?.id)}
        current={list.rows.find(({ id }) => id === form.value?.id) ?? null}
        onShowTheirs={form.open}
        onClose={form.close}
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
      <SaleDialogs sale={sale} />
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

/** What still keeps a tool from being sold once it is ready; `sale` when nothing does. */
export function saleAfterReady(
  {
    isActive,
    availableStock,
    stockFromCodes,
  }: Pick<ListedTool, "isActive" | "availableStock" | "stockFromCodes">,
  sale: string,
): string {
  if (!isActive) return "activate it to sell it.";
  // Codes per buyer are its stock.
  if (availableStock <= 0 && !stockFromCodes)
    return "raise its stock, which is 0: until then it shows as out of stock.";
  return sale;
}

/** Asks before a tool is sold although its pass opens nothing, and before that ends. */
function SaleDialogs({ sale }: { sale: Opened<ListedTool> }) {
  const isSold = sale.value?.sellsWhenNotReady === true;
  return (
    <ConfirmAction
      confirm={sale}
      intent="sell-when-not-ready"
      values={({ id }) => ({ toolId: id, sellsWhenNotReady: String(!isSold) })}
      question={({ name }) => (isSold ? `Stop selling ${name}?` : `Sell ${name} although it is not ready?`)}
      confirmLabel={isSold ? "Stop Selling" : "Sell It Anyway"}
    >
      {(tool) =>
        isSold ? (
          <p>Once its pass opens something, {saleAfterReady(tool, "it goes back on sale by itself.")}</p>
        ) : (
          <>
            <p>
              Buyers would pay for a pass that opens nothing until you add a code, a credential or a tool
              website.
            </p>
            <p className="text-muted">
              Better: add an access code for {tool.servers[0]?.name ?? "a server"}. Then{" "}
              {saleAfterReady(tool, "it goes on sale by itself.")}
            </p>
          </>
        )
      }
    </ConfirmAction>
  );
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
