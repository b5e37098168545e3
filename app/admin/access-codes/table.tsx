import CircleCheck from "lucide-react/icons/circle-check";
import { useRef } from "react";
import type { ListedAccessCode } from "#core/access-codes/list-access-codes.server.ts";
import { ActiveBadge, Badge } from "../../ui/badge.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { VisuallyHidden } from "../../ui/text.tsx";
import { useAdminAction } from "../forms/admin-action.tsx";
import { RowAction, RowActions } from "../lists/row-actions.tsx";

export function columnsOf(options: {
  selectedId: string | null;
  onSelect: (code: ListedAccessCode) => void;
  onEdit: (code: ListedAccessCode) => void;
  onDelete: (code: ListedAccessCode) => void;
}): Column<ListedAccessCode>[] {
  const { selectedId, onSelect, onEdit, onDelete } = options;
  return [
    {
      id: "tool",
      header: "Tool Name",
      phone: "first",
      cell: (code) => (
        // The row is selected by a click; this button makes it reachable from the keyboard.
        <button
          type="button"
          aria-pressed={code.id === selectedId}
          title="Select this access code"
          onClick={() => onSelect(code)}
          className="inline-flex min-h-11 items-center rounded-sm text-left font-semibold underline-offset-4 hover:underline max-[720px]:-my-1.5 min-[720px]:min-h-9"
        >
          <span className="wrap-anywhere">
            <span>{code.toolName}</span>
            {code.toolIsDeleted ? <span className="font-normal text-muted"> (deleted)</span> : null}
          </span>
        </button>
      ),
    },
    {
      id: "server",
      header: "Server Name",
      phone: "second",
      cell: ({ serverName }) => <span className="wrap-anywhere">{serverName}</span>,
    },
    {
      id: "simple",
      header: "Simple Code",
      phone: "second-end",
      cell: ({ simpleCode }) => <ListedCode code={simpleCode} />,
    },
    {
      id: "session",
      header: "Session Code",
      cell: ({ sessionCodeStart }) => <ListedCode code={sessionCodeStart} muted />,
    },
    {
      id: "status",
      header: "Status",
      phone: "first-end",
      cell: ({ isActive, perBuyer, takenBy, reports }) => (
        <span className="inline-flex max-w-full flex-wrap items-center gap-1">
          <ActiveBadge isActive={isActive} />
          {perBuyer ? <Badge>{takenBy === null ? "Unused" : "Used"}</Badge> : null}
          {reports > 0 ? <ReportsBadge count={reports} /> : null}
          {takenBy === null ? null : (
            <span title={takenBy} className="w-full break-all text-muted text-xs max-[720px]:truncate">
              {takenBy}
            </span>
          )}
        </span>
      ),
    },
    {
      id: "actions",
      header: "Actions",
      phone: "menu",
      className: "min-[720px]:w-px",
      cell: (code) => (
        <AccessCodeActions code={code} onEdit={() => onEdit(code)} onDelete={() => onDelete(code)} />
      ),
    },
  ];
}

/** How many buyers' reports the code has since it last changed. */
function ReportsBadge({ count }: { count: number }) {
  return (
    <Badge tone="red">
      <span>
        <span>{count === 1 ? "1 report" : `${count} reports`}</span>
        <VisuallyHidden> that this code does not work</VisuallyHidden>
      </span>
    </Badge>
  );
}

/** A code of the list, which has none without a recent password. */
function ListedCode({ code, muted = false }: { code: string | null; muted?: boolean }) {
  return code === null ? <span className="text-muted">Hidden</span> : <Code muted={muted}>{code}</Code>;
}

/** A code as it is, without the shapes of letters that look alike. */
export function Code({ children, muted = false }: { children: string; muted?: boolean }) {
  return (
    <span translate="no" className={muted ? "break-all font-mono text-muted text-xs" : "break-all font-mono"}>
      {children}
    </span>
  );
}

interface AccessCodeActionsProps {
  code: ListedAccessCode;
  onEdit: () => void;
  onDelete: () => void;
}

export const nameOfCode = ({ simpleCode, toolName, serverName }: ListedAccessCode): string =>
  `${simpleCode ?? "the code"} of ${toolName}, ${serverName}`;

function AccessCodeActions({ code, onEdit, onDelete }: AccessCodeActionsProps) {
  const { id, lastReportedAt } = code;
  const name = nameOfCode(code);
  const worksButton = useRef<HTMLButtonElement>(null);
  const dismissal = useAdminAction({ onDone: () => keepFocus(worksButton.current) });
  return (
    <RowActions name={name} onEdit={onEdit} onDelete={onDelete}>
      {lastReportedAt === null ? null : (
        <RowAction
          ref={worksButton}
          label="It works"
          icon={CircleCheck}
          target={name}
          onClick={() =>
            dismissal.run("dismiss-reports", { id, lastReportedAt: lastReportedAt.toISOString() })
          }
        />
      )}
    </RowActions>
  );
}

/** A button that is about to go leaves the focus to the next button. */
function keepFocus(button: HTMLButtonElement | null): void {
  const next = button?.nextElementSibling;
  if (button === document.activeElement && next instanceof HTMLElement) next.focus();
}
