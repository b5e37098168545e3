import { useRef, useState } from "react";
import type { ListedUser } from "#core/accounts/manage-users.server.ts";
import { formatPaise } from "#core/money.ts";
import type { ToolToAssign } from "#core/passes/give-pass.server.ts";
import { formatDays } from "#core/time.ts";
import { searchKey, searchProblem } from "#core/typed-text.ts";
import { Button } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { TextField } from "../../ui/forms/text-field.tsx";
import { ScrollRegion } from "../../ui/regions.tsx";
import { LiveRegion, Money } from "../../ui/text.tsx";
import { AdminDialog } from "../dialogs/admin-dialog.tsx";
import { DialogContent } from "../dialogs/dialog-content.tsx";
import { useAdminAction } from "../forms/admin-action.tsx";
import { ActionError } from "../forms/admin-form.tsx";
import { SEARCH_PROBLEMS } from "../lists/list-section.tsx";
import { SellByHandForm, useUnknownPayment } from "./sell-by-hand-form.tsx";

interface UserDialogProps {
  user: ListedUser;
  open: boolean;
  onClose: () => void;
}

/** Gives a user passes: without a payment, or for one outside of the shop. */
export function AddToolsDialog({ user, open, onClose }: UserDialogProps) {
  return (
    <AdminDialog
      open={open}
      onClose={onClose}
      size="large"
      holdsForm
      title={<span>{`Assign Tools to ${user.name || user.email}`}</span>}
      description="A pass starts now and lasts as long as the tool’s validity. It takes one unit of stock."
    >
      <DialogContent<ToolToAssign[]>
        href={`/admin/users/${user.id}/tools`}
        open={open}
        gone="This user has been deleted."
      >
        {(tools) => <ToolPicker tools={tools} userId={user.id} />}
      </DialogContent>
    </AdminDialog>
  );
}

/** More tools than this get a field that filters them. */
const MAX_WITHOUT_FILTER = 8;

function ToolPicker({ tools, userId }: { tools: ToolToAssign[]; userId: string }) {
  // Once the sale is recorded there is no such payment any more, and the tool stays where it is.
  const [paidId] = useState(useUnknownPayment()?.suggested.toolId);
  const [filter, setFilter] = useState("");
  const [assigned, setAssigned] = useState("");
  if (tools.length === 0) return <p className="text-muted">No active tools available</p>;
  const problem = searchProblem(filter);
  const wanted = searchKey(filter);
  const shown = tools.filter(({ name }) => problem === null && searchKey(name).includes(wanted));
  return (
    <div className="flex flex-col gap-3">
      {tools.length > MAX_WITHOUT_FILTER ? (
        <TextField
          label="Find a tool"
          labelHidden
          type="search"
          placeholder="Find a tool"
          autoComplete="off"
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
        />
      ) : null}
      {shown.length === 0 ? (
        <p className="text-muted">
          {problem === null ? "No tools match your search." : SEARCH_PROBLEMS[problem]}
        </p>
      ) : null}
      <ScrollRegion
        as="ul"
        label="Active tools"
        className="-mx-2 flex max-h-96 flex-col divide-y divide-line rounded-control px-2"
      >
        {tools
          .toSorted((a, b) => Number(b.id === paidId) - Number(a.id === paidId))
          .map((tool) => (
            <ToolItem
              key={tool.id}
              tool={tool}
              // It keeps what is typed in its form.
              isHidden={!shown.includes(tool)}
              userId={userId}
              onAssigned={() => setAssigned(`${tool.name} assigned.`)}
            />
          ))}
      </ScrollRegion>
      <LiveRegion message={assigned} />
    </div>
  );
}

function ToolItem({
  tool,
  isHidden,
  userId,
  onAssigned,
}: {
  tool: ToolToAssign;
  isHidden: boolean;
  userId: string;
  onAssigned: () => void;
}) {
  const { name, description, alreadyAssigned } = tool;
  const action = useAdminAction({ onDone: onAssigned });
  const payment = useUnknownPayment();
  const [isSelling, setSelling] = useState(!alreadyAssigned && payment?.suggested.toolId === tool.id);
  const item = useRef<HTMLLIElement>(null);
  const close = () => {
    setSelling(false);
    // The button that has the focus goes with the form.
    item.current?.focus();
  };
  return (
    <li
      ref={item}
      hidden={isHidden}
      tabIndex={-1}
      className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-control py-3"
    >
      <div className={classNames("min-w-[min(100%,14rem)] flex-1", alreadyAssigned && "text-muted")}>
        <h3 className="text-sm">{name}</h3>
        <p className="text-muted text-xs">{description}</p>
        <ToolFacts {...tool} />
        <ActionError result={action.result} />
      </div>
      <Button
        size="small"
        variant={alreadyAssigned ? "plain" : "soft"}
        disabled={alreadyAssigned}
        busy={action.busy}
        onClick={() => action.run("assign", { userId, toolId: tool.id })}
      >
        <span>{alreadyAssigned ? "Already Assigned" : "Assign"}</span>
        <span className="sr-only">{`: ${name}`}</span>
      </Button>
      <Button
        size="small"
        disabled={alreadyAssigned}
        aria-expanded={isSelling}
        onClick={() => setSelling(true)}
      >
        Paid by hand…
        <span className="sr-only">{` ${name}`}</span>
      </Button>
      {isSelling ? (
        <div className="basis-full rounded-control border border-line p-3">
          <SellByHandForm
            userId={userId}
            tool={tool}
            renews={false}
            onDone={() => {
              close();
              onAssigned();
            }}
            onCancel={close}
          />
        </div>
      ) : null}
    </li>
  );
}

function ToolFacts({ pricePaise, availableStock, validityDays, alreadyAssigned }: ToolToAssign) {
  const stockTone = availableStock > 0 ? "text-green" : "text-red";
  return (
    <p className="mt-1 flex flex-wrap gap-x-3 text-xs tabular-nums">
      <Money className={alreadyAssigned ? "" : "font-semibold"}>{formatPaise(pricePaise)}</Money>
      <span className={alreadyAssigned ? "text-muted" : stockTone}>{`${availableStock} in stock`}</span>
      <span className="text-muted">{formatDays(validityDays)}</span>
    </p>
  );
}
