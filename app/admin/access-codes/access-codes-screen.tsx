import { useState } from "react";
import type { AccessCodeList, ListedAccessCode } from "#core/access-codes/list-access-codes.server.ts";
import type { ToolChoice } from "#core/catalog/list-tool-choices.server.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmAction } from "../forms/confirm-action.tsx";
import { useOpened } from "../forms/use-opened.ts";
import { SearchBox } from "../lists/list-controls.tsx";
import { ListSection } from "../lists/list-section.tsx";
import { ListTable } from "../lists/list-table.tsx";
import { useListAddress } from "../lists/use-list-address.ts";
import { columnsOf } from "./access-code-columns.tsx";
import { AddAccessCodeDialog } from "./add-access-code-dialog.tsx";
import { AddSeveralDialog } from "./add-several-dialog.tsx";
import { ConnectionRefusal } from "./connection-refusal.tsx";
import { EditAccessCodeDialog } from "./edit-access-code-dialog.tsx";
import { HiddenCodes } from "./hidden-codes.tsx";
import type { EditedAccessCode } from "./revealed-access-code.ts";
import { SelectedAccessCode } from "./selected-access-code.tsx";

interface AccessCodesScreenProps {
  list: AccessCodeList;
  tools: readonly ToolChoice[];
}

/** The tab 'Access Codes'. */
export function AccessCodesScreen({ list, tools }: AccessCodesScreenProps) {
  const address = useListAddress();
  const [selectedId, setSelectedId] = useState<string | null>(null);
  const addition = useOpened<true>();
  const several = useOpened<true>();
  const edit = useOpened<EditedAccessCode>();
  const deletion = useOpened<ListedAccessCode>();
  const selected = list.rows.find(({ id }) => id === selectedId) ?? null;
  const select = ({ id }: ListedAccessCode) => setSelectedId(id);
  const columns = columnsOf({ selectedId, onSelect: select, onEdit: edit.open, onDelete: deletion.open });
  return (
    <>
      <ConnectionRefusal />
      {list.hidesCodes && (list.rows.length > 0 || address.get("q") !== "") ? <HiddenCodes /> : null}
      <ListSection
        list={list}
        empty={{
          title: "No access codes found",
          text:
            address.get("q") === ""
              ? "Buyers get the code for a server on the tool’s page."
              : "Try adjusting your search.",
        }}
        controls={<SearchBox placeholder="Search by tool, server or whole code" />}
        action={
          <div className="flex flex-wrap gap-2">
            <Button onClick={() => several.open(true)}>Add Several</Button>
            <Button variant="strong" onClick={() => addition.open(true)}>
              + Add Access Code
            </Button>
          </div>
        }
      >
        <ListTable
          label="Access codes"
          columns={columns}
          rows={list.rows}
          rowId={({ id }) => id}
          selectedId={selectedId}
          onSelect={select}
        />
      </ListSection>
      {selected === null ? null : (
        <SelectedAccessCode
          key={selected.id}
          code={selected}
          tools={tools}
          onClear={() => setSelectedId(null)}
        />
      )}
      <AddAccessCodeDialog form={addition} tools={tools} />
      <AddSeveralDialog form={several} tools={tools} />
      <EditAccessCodeDialog form={edit} tools={tools} rows={list.rows} />
      <ConfirmAction
        confirm={deletion}
        intent="delete"
        values={({ id }) => ({ id })}
        question={() => "Are you sure you want to delete this access code?"}
        confirmLabel="Delete Access Code"
      >
        {({ toolName, serverName, simpleCode, takenBy }) => (
          <p className="wrap-anywhere">
            <strong className="font-semibold">{simpleCode ?? "The code"}</strong> of {toolName}, {serverName}.{" "}
            {takenBy === null
              ? "Buyers can then no longer get it. Those who already have it may still use it at the service."
              : `It belongs to ${takenBy}, whose pass takes another unused code at the next reveal. Without one left, the buyer waits until you add codes.`}
          </p>
        )}
      </ConfirmAction>
    </>
  );
}
