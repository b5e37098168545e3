import { useRef, useState } from "react";
import { useSearchParams } from "react-router";
import type { z } from "zod";
import { BULK_ACTIONS, type BulkActionName, startBulkActionSchema } from "#core/bulk-actions/bulk-actions.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/forms/text-field.tsx";
import { ScrollRegion } from "../../ui/regions.tsx";
import { AdminDialog, CancelButton } from "../dialogs/admin-dialog.tsx";
import { DialogContent } from "../dialogs/dialog-content.tsx";
import { useDialogs } from "../dialogs/use-dialogs.ts";
import { formatCount } from "../format-count.ts";
import { useAdminAction } from "../forms/admin-action.tsx";
import { ActionError, FormErrors, fieldProps, useAdminForm } from "../forms/admin-form.tsx";
import { DIALOG_PARAMETERS } from "../lists/use-list-address.ts";
import { ChoiceCards } from "../purchases/choice-cards.tsx";
import type { LoadedBulkAction } from "./bulk-action.ts";
import {
  BULK_ACTION_PATH,
  BULK_TEXTS,
  capitalised,
  describeBulkAction,
  nameOfBulkAction,
} from "./bulk-texts.ts";

interface OpenedBulkAction {
  id: string | null;
  isOpen: boolean;
  open(id: string): void;
  close(): void;
}

/** The dialog of a bulk action, which the address names: `?dialog=bulk-action&row=ID`. */
export function useBulkActionDialog(): OpenedBulkAction {
  const [params] = useSearchParams();
  const named = params.get(DIALOG_PARAMETERS.row);
  const dialogs = useDialogs(["bulk-action"], { rows: named === null ? [] : [{ id: named }] });
  return {
    id: dialogs.row?.id ?? null,
    isOpen: dialogs.isOpen("bulk-action"),
    open: (id) => dialogs.open("bulk-action", { id }),
    close: dialogs.close,
  };
}

/** Asks before a bulk action starts, and then shows how far it is and what was not done. */
export function BulkActionDialog({
  dialog: { id, isOpen, close },
  onStarted,
}: {
  dialog: OpenedBulkAction;
  onStarted?: () => void;
}) {
  if (id === null) return null;
  return (
    <AdminDialog open={isOpen} onClose={close} holdsForm title="Bulk action">
      <DialogContent<LoadedBulkAction>
        href={`${BULK_ACTION_PATH}/${id}`}
        open={isOpen}
        gone="Nobody has confirmed this bulk action in time. Select the rows again."
      >
        {(view) => (
          <div className="flex flex-col gap-4 text-sm">
            {view.isCounted ? (
              <Question view={view} onStarted={() => onStarted?.()} />
            ) : (
              <Result view={view} onClose={close} />
            )}
          </div>
        )}
      </DialogContent>
    </AdminDialog>
  );
}

interface QuestionProps {
  view: LoadedBulkAction;
  onStarted: () => void;
}

const NAMED = 5;

function Question({ view, onStarted }: QuestionProps) {
  const { id, action, rows, named, passesEnding, checkoutsEnding, codesTaken } = view;
  const [mode, setMode] = useState<"extend-purchases" | "set-purchase-expiry">("extend-purchases");
  const names = named.slice(0, NAMED).flatMap(({ name }) => name ?? []);
  const more = rows - names.length;
  return (
    <>
      <h3 className="font-semibold text-base">{`${capitalised(describeBulkAction(action, rows))}?`}</h3>
      <p className="wrap-anywhere text-muted">
        {`${names.join(", ")}${more > 0 ? ` and ${formatCount(more)} more` : ""}`}
      </p>
      {passesEnding > 0 ? (
        <Banner tone="warning">
          {`${passesEnding === 1 ? "1 running pass ends" : `${formatCount(passesEnding)} running passes end`} at once, without a refund.`}
        </Banner>
      ) : null}
      {checkoutsEnding > 0 ? (
        <p>
          {checkoutsEnding === 1
            ? "1 open checkout ends."
            : `${formatCount(checkoutsEnding)} open checkouts end.`}
        </p>
      ) : null}
      {codesTaken > 0 ? (
        <Banner tone="warning">
          {`${codesTaken === 1 ? "1 of them belongs to a pass, which takes" : `${formatCount(codesTaken)} of them belong to passes, which take`} another unused code at the next reveal. Without one left, the buyer waits until you add codes.`}
        </Banner>
      ) : null}
      <p>{BULK_TEXTS[action].note}</p>
      {action === "extend-purchases" ? (
        <ChoiceCards
          legend="How to extend"
          value={mode}
          onChange={setMode}
          choices={[
            { value: "extend-purchases", label: "By days" },
            { value: "set-purchase-expiry", label: "Until a date" },
          ]}
        />
      ) : null}
      <StartForm
        key={mode}
        id={id}
        action={action === "extend-purchases" ? mode : action}
        rows={rows}
        onStarted={onStarted}
      />
    </>
  );
}

/** What is entered for all rows of a bulk action. */
const FIELDS: Partial<Record<BulkActionName, { name: string; label: string; hint: string; value: string }>> =
  {
    "extend-purchases": { name: "days", label: "Days", hint: "A whole number of days.", value: "7" },
    "set-purchase-expiry": {
      name: "date",
      label: "New expiry date",
      hint: "DD-MM-YYYY. The passes end at the end of that day; a day that is over ends them at once.",
      value: "",
    },
    "cancel-purchases": {
      name: "reason",
      label: "Reason",
      hint: "For all of them. It is written to the audit log.",
      value: "",
    },
  };

interface StartFormProps extends Pick<QuestionProps, "onStarted"> {
  id: string;
  action: BulkActionName;
  rows: number;
}

function StartForm({ id, action, rows, onStarted }: StartFormProps) {
  const typed = FIELDS[action];
  const schema: z.ZodType<Record<string, unknown>, Record<string, unknown>> = startBulkActionSchema.extend(
    BULK_ACTIONS[action].input.shape,
  );
  const { form, fields, busy } = useAdminForm({
    action: BULK_ACTION_PATH,
    intent: "start",
    id: `${action}-${id}`,
    schema,
    defaultValue: { id, action, ...(typed && { [typed.name]: typed.value }) },
    onDone: onStarted,
  });
  const field = typed && fields[typed.name];
  return (
    <form id={form.id} onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
      <FormErrors errors={form.errors} />
      <input type="hidden" name="id" value={id} />
      <input type="hidden" name="action" value={action} />
      {field ? (
        <TextField
          label={typed.label}
          hint={typed.hint}
          {...fieldProps(field)}
          inputMode={typed.name === "days" ? "numeric" : undefined}
          autoComplete="off"
        />
      ) : null}
      <div className="flex flex-wrap justify-end gap-2">
        <CancelButton />
        <Button type="submit" variant={BULK_TEXTS[action].danger ? "danger" : "strong"} busy={busy}>
          {nameOfBulkAction(action, rows)}
        </Button>
      </div>
    </form>
  );
}

function Result({ view, onClose }: { view: LoadedBulkAction; onClose: () => void }) {
  const { id, action, rows, done, notDone, isFinished, named, buyersWaiting } = view;
  const closeButton = useRef<HTMLButtonElement>(null);
  // The button that has the focus disappears.
  const stop = useAdminAction({ action: BULK_ACTION_PATH, onDone: () => closeButton.current?.focus() });
  const more = notDone - named.length;
  return (
    <>
      <h3 className="font-semibold text-base">{capitalised(describeBulkAction(action, rows))}</h3>
      <div role="status" className="flex flex-col gap-1">
        {isFinished ? null : (
          <progress
            aria-label="Progress"
            max={rows}
            value={done + notDone}
            className="h-1.5 w-full accent-ink"
          />
        )}
        <p className="tabular-nums">
          {`${formatCount(done)} done${notDone === 0 ? "" : `, ${formatCount(notDone)} not done`}${isFinished ? "." : `, ${formatCount(rows - done - notDone)} to go. You can close this: it goes on.`}`}
        </p>
      </div>
      {buyersWaiting > 0 ? (
        <Banner tone="warning">
          {`${buyersWaiting === 1 ? "1 buyer of these tools waits" : `${formatCount(buyersWaiting)} buyers of these tools wait`} for a code now: add one for each.`}
        </Banner>
      ) : null}
      {named.length === 0 ? null : (
        <ScrollRegion label="Not done" className="max-h-80 rounded-control border border-line">
          <ul className="divide-y divide-line">
            {named.map(({ id, name, reason }) => (
              <li key={id} className="px-3 py-2">
                <span className="block wrap-anywhere">{name ?? id}</span>
                <span className="block text-muted text-xs">{reason}</span>
              </li>
            ))}
          </ul>
        </ScrollRegion>
      )}
      {more > 0 ? <p className="text-muted">{`${formatCount(more)} more were not done.`}</p> : null}
      <ActionError result={stop.result} />
      <div className="flex justify-end gap-2">
        {isFinished ? null : (
          <Button busy={stop.busy} onClick={() => stop.run("stop", { id })}>
            Stop
          </Button>
        )}
        <Button ref={closeButton} onClick={onClose}>
          Close
        </Button>
      </div>
    </>
  );
}
