import { useEffect, useRef, useState } from "react";
import { useRevalidator, useSearchParams } from "react-router";
import { z } from "zod";
import {
  type AccessCodeList,
  type ListedAccessCode,
  listAccessCodes,
} from "#core/access-codes/list-access-codes.server.ts";
import {
  addSeveralAccessCodes,
  createAccessCode,
  deleteAccessCode,
  describeCodesPerBuyer,
  draftSessionCode,
  revealAccessCodeToAdmin,
  updateAccessCode,
} from "#core/access-codes/manage-access-codes.server.ts";
import { dismissReports } from "#core/access-codes/report-access-code.server.ts";
import { listToolChoices, type ToolChoice } from "#core/catalog/list-tools-for-admin.server.ts";
import { messageForCode } from "../../errors/error-messages.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { adminAction, loadForAdmin } from "../admin-routes.server.ts";
import { useAdminFeedback } from "../dashboard/admin-feedback.tsx";
import { revalidateList, useDialogs } from "../dialogs/use-dialogs.ts";
import { ConfirmAction } from "../forms/admin-action.tsx";
import { callAdminAction, PASSWORD_NEEDED } from "../forms/admin-result.ts";
import { ForAdmin, ListFailure } from "../lists/for-admin.tsx";
import { ListSection, SearchBox } from "../lists/list-section.tsx";
import { ListTable } from "../lists/list-table.tsx";
import { useListAddress } from "../lists/use-list-address.ts";
import type { Route } from "./+types/route";
import { AddAccessCodeDialog, AddSeveralDialog } from "./add-dialogs.tsx";
import { EditAccessCodeDialog } from "./edit-access-code-dialog.tsx";
import { SelectedAccessCode } from "./selected-access-code.tsx";
import { columnsOf, nameOfCode } from "./table.tsx";

export function loader(args: Route.LoaderArgs) {
  return loadForAdmin(args, async (ctx, input) => {
    const [list, tools] = await Promise.all([listAccessCodes(ctx, input), listToolChoices(ctx)]);
    return { list, tools };
  });
}

export const shouldRevalidate = revalidateList;

const DELETE_REFUSALS = ["not-found", "invalid-input"] as const;

const notDeleted = (reason: string) => `Failed to delete access code: ${reason}`;

const deletedSchema = z.object({ waitingPasses: z.number() });

function describeDeleted(value: unknown): string {
  const { waitingPasses } = deletedSchema.parse(value);
  if (waitingPasses === 0) return "Access code deleted.";
  const passes =
    waitingPasses === 1 ? "1 buyer of this tool waits" : `${waitingPasses} buyers of this tool wait`;
  return `Access code deleted. ${passes} for a code now: add one for each.`;
}

const dismissedSchema = z.object({ count: z.number() });

function describeDismissed(value: unknown): string {
  const { count } = dismissedSchema.parse(value);
  if (count === 0) return "This code has no reports any more.";
  return `${count === 1 ? "1 report" : `${count} reports`} dismissed. Buyers are no longer warned.`;
}

export const action = adminAction({
  create: { run: createAccessCode, done: "Access code added.", failed: "Failed to add access code" },
  update: { run: updateAccessCode, done: "Access code updated.", failed: "Failed to update access code" },
  delete: {
    run: deleteAccessCode,
    done: describeDeleted,
    failed: notDeleted("Unknown error"),
    refusals: Object.fromEntries(
      DELETE_REFUSALS.map((code) => [code, notDeleted(messageForCode(code))] as const),
    ),
  },
  "add-several": { run: addSeveralAccessCodes, done: null, failed: "Failed to add access codes" },
  "draft-session-code": { run: draftSessionCode, done: null, failed: "Failed to generate a session code" },
  "describe-codes": { run: describeCodesPerBuyer, done: null, failed: "Failed to count the codes" },
  "dismiss-reports": {
    run: dismissReports,
    done: describeDismissed,
    failed: "Failed to dismiss the reports",
  },
  reveal: { run: revealAccessCodeToAdmin, done: null, failed: "Failed to open the access code" },
});

export const clientAction = callAdminAction;

export default function AccessCodes({ loaderData }: Route.ComponentProps) {
  return <ForAdmin data={loaderData}>{(data) => <AccessCodesScreen {...data} />}</ForAdmin>;
}

export function ErrorBoundary() {
  return <ListFailure message="Failed to fetch access codes" />;
}

interface AccessCodesScreenProps {
  list: AccessCodeList;
  tools: readonly ToolChoice[];
}

/** The tab 'Access Codes'. */
function AccessCodesScreen({ list, tools }: AccessCodesScreenProps) {
  const address = useListAddress();
  const [selectedId, setSelectedId] = useState<string | null>(null);
  const dialogs = useDialogs(["edit", "delete"], list);
  const edit = dialogs.of("edit");
  const deletion = dialogs.of("delete");
  // The row of these is the tool that is chosen at first.
  const additions = useDialogs(["add", "add-several"], { rows: tools.filter(({ isActive }) => isActive) });
  const selected = list.rows.find(({ id }) => id === selectedId) ?? null;
  const select = ({ id }: ListedAccessCode) => setSelectedId(id);
  const columns = columnsOf({ selectedId, onSelect: select, onEdit: edit.open, onDelete: deletion.open });
  return (
    <>
      <ConnectionRefusal />
      {list.hidesCodes && (list.rows.length > 0 || address.get("q") !== "") ? <HiddenCodes /> : null}
      <ListSection
        list={list}
        bulk={["activate-access-codes", "deactivate-access-codes", "delete-access-codes"]}
        empty={{
          title: "No access codes found",
          text:
            address.get("q") === ""
              ? "Buyers get the code for a server on the tool’s page."
              : "Try adjusting your search. Codes are found whole only.",
        }}
        search={<SearchBox placeholder="Search by tool, server or whole code" />}
        action={
          <div className="flex flex-wrap gap-2">
            <Button onClick={() => additions.open("add-several", null)}>Add Several</Button>
            <Button variant="strong" onClick={() => additions.open("add", null)}>
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
          rowName={nameOfCode}
          selectedId={selectedId}
          onPress={select}
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
      <AddAccessCodeDialog form={additions.of("add")} tools={tools} />
      <AddSeveralDialog form={additions.of("add-several")} tools={tools} />
      <EditAccessCodeDialog form={edit} tools={tools} />
      <ConfirmAction
        confirm={deletion}
        intent="delete"
        values={({ id }) => ({ id })}
        question={() => "Are you sure you want to delete this access code?"}
        confirmLabel="Delete Access Code"
      >
        {({ toolName, serverName, simpleCode, takenBy }) => (
          <p className="wrap-anywhere">
            <strong className="font-semibold">{simpleCode ?? "The code"}</strong>
            <span>{` of ${toolName}, ${serverName}. ${
              takenBy === null
                ? "Buyers can then no longer get it. Those who already have it may still use it at the service."
                : `It belongs to ${takenBy}, whose pass takes another unused code at the next reveal. Without one left, the buyer waits until you add codes.`
            }`}</span>
          </p>
        )}
      </ConfirmAction>
    </>
  );
}

/** Says why the list has no codes, and why a whole code is not found, and shows them after the password. */
function HiddenCodes() {
  const { askPassword } = useAdminFeedback();
  const { revalidate } = useRevalidator();
  return (
    <Banner tone="warning">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p>
          Codes are hidden and can’t be searched because you last entered your password more than 15 minutes
          ago.
        </p>
        <Button size="small" onClick={() => askPassword(() => void revalidate())}>
          Show Codes
        </Button>
      </div>
    </Banner>
  );
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ["not-found", "This access code no longer exists."],
  ["invalid-input", "The access code or the tool is not valid. Please choose them again."],
]);

const PARAMETERS = ["connection", "id", "slug"] as const;

/** Why the tab that was to open a server connection shows the list of access codes instead. */
function ConnectionRefusal() {
  const [params, setParams] = useSearchParams();
  const [[refusal, id, slug]] = useState(() => PARAMETERS.map((name) => params.get(name)));
  useEffect(() => {
    if (!params.has("connection")) return;
    const rest = new URLSearchParams(params);
    for (const name of PARAMETERS) rest.delete(name);
    setParams(rest, { replace: true, preventScrollReset: true });
  }, [params, setParams]);
  if (!refusal) return null;
  if (refusal === PASSWORD_NEEDED && id && slug) return <PasswordNeeded id={id} slug={slug} />;
  return (
    <Banner tone="error">
      {`The server connection was not opened. ${REASONS.get(refusal) ?? "Please try again."}`}
    </Banner>
  );
}

/** Asks for the password, and then opens the connection in this tab. */
function PasswordNeeded({ id, slug }: { id: string; slug: string }) {
  const { askPassword } = useAdminFeedback();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => askPassword(() => form.current?.submit()), [askPassword]);
  return (
    <Banner tone="warning">
      <form
        ref={form}
        method="post"
        action="/admin/access-codes/connection"
        className="flex flex-wrap items-center justify-between gap-3"
      >
        <p>Please enter your password to open the server connection.</p>
        <input type="hidden" name="id" value={id} />
        <input type="hidden" name="slug" value={slug} />
        <Button size="small" onClick={() => askPassword(() => form.current?.submit())}>
          Enter Password
        </Button>
      </form>
    </Banner>
  );
}
