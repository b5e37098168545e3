import { Menu } from "@base-ui/react/menu";
import EllipsisVertical from "lucide-react/icons/ellipsis-vertical";
import Pencil from "lucide-react/icons/pencil";
import Trash2 from "lucide-react/icons/trash-2";
import {
  type ComponentType,
  createContext,
  type Ref,
  type SVGProps,
  useContext,
  useRef,
  useState,
} from "react";
import { classNames } from "../../ui/class-names.ts";
import { useBackStep } from "../../ui/dialogs/use-back-step.ts";
import { IconButton } from "../../ui/icon-button.tsx";
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
    <ActionsOfRow name={name}>
      {children}
      <RowAction label="Edit" icon={Pencil} target={name} onClick={onEdit} />
      <RowAction label="Delete" icon={Trash2} target={name} danger onClick={onDelete} />
    </ActionsOfRow>
  );
}

type Act = () => void;

/** Null in a row. In its menu: does something once the menu has closed and its button has the focus again. */
const MenuContext = createContext<((act: Act) => void) | null>(null);

/** The actions of a row: side by side, and in a menu on phones. */
export function ActionsOfRow({ name, children }: { name: string; children: Elements }) {
  const [isOpen, setIsOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const chosen = useRef<Act | null>(null);
  const actOnceClosed = (isOpen: boolean) => {
    if (isOpen || chosen.current === null) return;
    // A dialog returns the focus to where it was when it opened.
    opener.current?.focus();
    chosen.current();
    chosen.current = null;
  };
  return (
    <>
      <div className="-ml-2.5 flex gap-0.5 max-[720px]:hidden">{children}</div>
      <Menu.Root open={isOpen} onOpenChange={setIsOpen} onOpenChangeComplete={actOnceClosed}>
        <Menu.Trigger
          ref={opener}
          render={<IconButton label={`Actions: ${name}`} className="min-[720px]:hidden" />}
        >
          <EllipsisVertical className="size-5" aria-hidden="true" />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner align="end" sideOffset={4} className="z-20">
            <Menu.Popup className="flex min-w-48 flex-col rounded-ticket border border-line bg-card p-1 text-sm shadow-float outline-none">
              <BackStep onBack={() => setIsOpen(false)} />
              <MenuContext
                value={(act) => {
                  chosen.current = act;
                }}
              >
                {children}
              </MenuContext>
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
    </>
  );
}

/** The back button closes what this is in. */
function BackStep({ onBack }: { onBack: () => void }): null {
  useBackStep("open", onBack);
  return null;
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

/** One action of a row: an icon whose name appears at once under the pointer and the focus, or an item of the menu. */
export function RowAction(props: RowActionProps) {
  const { ref, label, icon: Icon, target, danger, disabled, unavailable = null, onClick } = props;
  const feedback = useAdminFeedback();
  const choose = useContext(MenuContext);
  const act = unavailable === null ? onClick : () => feedback.showError(unavailable);
  const look = danger
    ? "enabled:not-aria-disabled:hover:bg-red/10 enabled:not-aria-disabled:hover:text-red"
    : "enabled:not-aria-disabled:hover:bg-ink/5 enabled:not-aria-disabled:hover:text-ink";
  if (choose !== null)
    return (
      <Menu.Item
        disabled={disabled}
        aria-disabled={unavailable === null ? undefined : true}
        onClick={() => choose(act)}
        className={classNames(
          "flex min-h-11 items-center gap-3 rounded-control px-3 font-medium outline-none data-highlighted:bg-ink/5",
          danger && "text-red",
          unavailable !== null && "opacity-50",
        )}
      >
        <Icon className="size-4.5 shrink-0" aria-hidden="true" />
        <span>{label}</span>
        {unavailable === null ? null : <span className="sr-only">{`. ${unavailable}`}</span>}
      </Menu.Item>
    );
  return (
    <button
      ref={ref}
      type="button"
      disabled={disabled}
      // Not `disabled`: the reason must be within reach of the keyboard and of touch.
      aria-disabled={unavailable === null ? undefined : true}
      onClick={act}
      className={classNames(
        "group/action relative inline-flex size-9 items-center justify-center rounded-control text-muted transition-colors duration-150 disabled:cursor-not-allowed disabled:opacity-40 aria-disabled:cursor-not-allowed",
        look,
      )}
    >
      <Icon
        className={classNames("size-4.5 shrink-0", unavailable !== null && "opacity-40")}
        aria-hidden="true"
      />
      <span
        aria-hidden="true"
        className="pointer-events-none absolute right-0 bottom-full z-10 hidden w-max max-w-56 rounded-control bg-ink px-2 py-1 text-left text-paper text-xs group-focus-visible/action:block group-hover/action:block"
      >
        {`${label}${unavailable === null ? "" : `: ${unavailable}`}`}
      </span>
      <span className="sr-only">{`${label}: ${target}${unavailable === null ? "" : `. ${unavailable}`}`}</span>
    </button>
  );
}
