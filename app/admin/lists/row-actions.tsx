import Pencil from "lucide-react/icons/pencil";
import Trash2 from "lucide-react/icons/trash-2";
import type { ReactNode } from "react";
import { RowAction } from "./row-action.tsx";

interface RowActionsProps {
  /** What the row is called, for the names of the buttons. */
  name: string;
  onEdit: () => void;
  onDelete: () => void;
  /** Actions before these two. */
  children?: ReactNode;
}

/** The actions of a row: Edit, Delete, and others before them. */
export function RowActions({ name, onEdit, onDelete, children }: RowActionsProps) {
  return (
    <div className="flex flex-wrap gap-2 min-[720px]:-ml-2.5 min-[720px]:flex-nowrap min-[720px]:gap-0.5">
      {children}
      <RowAction label="Edit" icon={Pencil} target={name} onClick={onEdit} />
      <RowAction label="Delete" icon={Trash2} target={name} danger onClick={onDelete} />
    </div>
  );
}
