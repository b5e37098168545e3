import Pencil from "lucide-react/icons/pencil";
import Trash2 from "lucide-react/icons/trash-2";
import type { ReactNode } from "react";
import { IconButton } from "../../ui/icon-button.tsx";

interface RowActionsProps {
  /** What the row is called, for the names of the buttons. */
  name: string;
  onEdit: () => void;
  onDelete: () => void;
  editIsBusy?: boolean;
  /** Buttons before these two. */
  children?: ReactNode;
}

/** The buttons of a row: Edit, Delete, and others before them. */
export function RowActions({ name, onEdit, onDelete, editIsBusy, children }: RowActionsProps) {
  return (
    <div className="-mx-2 flex">
      {children}
      <IconButton label={`Edit ${name}`} aria-busy={editIsBusy || undefined} onClick={onEdit}>
        <Pencil className="size-4" aria-hidden="true" />
      </IconButton>
      <IconButton label={`Delete ${name}`} className="hover:text-red" onClick={onDelete}>
        <Trash2 className="size-4" aria-hidden="true" />
      </IconButton>
    </div>
  );
}
