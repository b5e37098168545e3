import Pencil from "lucide-react/icons/pencil";
import Trash2 from "lucide-react/icons/trash-2";
import type { ComponentType, Ref, SVGProps } from "react";
import { classNames } from "../../ui/class-names.ts";
import type { Elements } from "../../ui/texts/texts.ts";
import { useAdminFeedback } from "../dashboard/admin-feedback.tsx";

interface RowActionsProps {
  /** What the row is called, for the names of the buttons. */
  name: string;
  onEdit: () => void;
  onDelete: () => void;
  /** Actions before these two. */
  children?: Elements;
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

interface RowActionProps {
  ref?: Ref<HTMLButtonElement>;
  label: string;
  icon: ComponentType<SVGProps<SVGSVGElement>>;
  /** What it is done to, for screen readers: a table has many buttons of the same name. */
  target: string;
  /** It destroys something. */
  danger?: boolean;
  disabled?: boolean;
  /** Why it cannot be done to this row; null when it can. A press says it. */
  unavailable?: string | null;
  onClick: () => void;
}

/** One action of a row: an icon with a tooltip in a table, and with its name in a card on phones. */
export function RowAction(props: RowActionProps) {
  const { ref, label, icon: Icon, target, danger, disabled, unavailable = null, onClick } = props;
  const feedback = useAdminFeedback();
  return (
    <button
      ref={ref}
      type="button"
      title={unavailable === null ? label : `${label}: ${unavailable}`}
      disabled={disabled}
      // Not `disabled`: the reason must be within reach of the keyboard and of touch.
      aria-disabled={unavailable === null ? undefined : true}
      onClick={unavailable === null ? onClick : () => feedback.showError(unavailable)}
      className={classNames(
        "inline-flex min-h-11 items-center gap-2 rounded-control border border-field px-3 font-medium text-muted text-sm transition-colors duration-150 disabled:cursor-not-allowed disabled:opacity-40 aria-disabled:cursor-not-allowed aria-disabled:opacity-40 max-[720px]:bg-card min-[720px]:size-9 min-[720px]:min-h-9 min-[720px]:justify-center min-[720px]:border-0 min-[720px]:px-0",
        danger
          ? "enabled:not-aria-disabled:hover:bg-red/10 enabled:not-aria-disabled:hover:text-red"
          : "enabled:not-aria-disabled:hover:bg-ink/5 enabled:not-aria-disabled:hover:text-ink",
      )}
    >
      <Icon className="size-4.5 shrink-0" aria-hidden="true" />
      <span className="min-[720px]:sr-only">{label}</span>
      <span className="sr-only">{`: ${target}${unavailable === null ? "" : `. ${unavailable}`}`}</span>
    </button>
  );
}
