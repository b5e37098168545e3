import type { ListedAccessCode } from "#core/access-codes/list-access-codes.server.ts";
import { ActiveBadge } from "../../ui/badge.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { AccessCodeActions } from "./access-code-actions.tsx";
import type { EditedAccessCode } from "./revealed-access-code.ts";

export function columnsOf(options: {
  selectedId: string | null;
  onSelect: (code: ListedAccessCode) => void;
  onEdit: (code: EditedAccessCode) => void;
  onDelete: (code: ListedAccessCode) => void;
}): Column<ListedAccessCode>[] {
  const { selectedId, onSelect, onEdit, onDelete } = options;
  return [
    {
      id: "tool",
      header: "Tool Name",
      cardLabel: null,
      cell: (code) => (
        // The row is selected by a click; this button makes it reachable from the keyboard.
        <button
          type="button"
          aria-pressed={code.id === selectedId}
          title="Select this access code"
          onClick={() => onSelect(code)}
          className="inline-flex min-h-11 items-center rounded-sm text-left font-semibold underline-offset-4 hover:underline min-[720px]:min-h-9"
        >
          <span className="break-words">
            {code.toolName}
            {code.toolIsDeleted ? <span className="font-normal text-muted"> (deleted)</span> : null}
          </span>
        </button>
      ),
    },
    { id: "server", header: "Server Name", cell: ({ serverName }) => serverName },
    {
      id: "simple",
      header: "Simple Code",
      cell: ({ simpleCode }) => <Code>{simpleCode}</Code>,
    },
    {
      id: "session",
      header: "Session Code",
      cell: ({ sessionCodeStart }) => <Code muted>{sessionCodeStart}</Code>,
    },
    { id: "status", header: "Status", cell: ({ isActive }) => <ActiveBadge isActive={isActive} /> },
    {
      id: "actions",
      header: "Actions",
      cardLabel: null,
      className: "min-[720px]:w-px",
      cell: (code) => <AccessCodeActions code={code} onEdit={onEdit} onDelete={() => onDelete(code)} />,
    },
  ];
}

/** A code as it is, without the shapes of letters that look alike. */
export function Code({ children, muted = false }: { children: string; muted?: boolean }) {
  return (
    <span className={muted ? "break-all font-mono text-muted text-xs" : "break-all font-mono"}>
      {children}
    </span>
  );
}
