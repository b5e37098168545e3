import type { ComponentType, SVGProps } from "react";
import { classNames } from "../../ui/class-names.ts";

interface RowActionProps {
  label: string;
  icon: ComponentType<SVGProps<SVGSVGElement>>;
  /** What it is done to, for screen readers: a table has many buttons of the same name. */
  target: string;
  /** It destroys something. */
  danger?: boolean;
  disabled?: boolean;
  onClick: () => void;
}

/** One action of a row: an icon with a tooltip in a table, and with its name in a card on phones. */
export function RowAction({ label, icon: Icon, target, danger, disabled, onClick }: RowActionProps) {
  return (
    <button
      type="button"
      title={label}
      disabled={disabled}
      onClick={onClick}
      className={classNames(
        "inline-flex min-h-11 items-center gap-2 rounded-control border border-line px-3 font-medium text-muted text-sm transition-colors duration-150 disabled:cursor-not-allowed disabled:opacity-40 min-[720px]:size-9 min-[720px]:min-h-9 min-[720px]:justify-center min-[720px]:border-0 min-[720px]:px-0",
        danger
          ? "enabled:hover:bg-red/10 enabled:hover:text-red"
          : "enabled:hover:bg-ink/5 enabled:hover:text-ink",
      )}
    >
      <Icon className="size-4.5 shrink-0" aria-hidden="true" />
      <span className="min-[720px]:sr-only">{label}</span>
      <span className="sr-only">: {target}</span>
    </button>
  );
}
