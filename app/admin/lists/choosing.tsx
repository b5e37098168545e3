import ListChecks from "lucide-react/icons/list-checks";
import { createContext, useContext, useState } from "react";
import type { Column } from "../../ui/data-table.tsx";
import { CheckField } from "../../ui/forms/fields.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { useListAddress } from "./use-list-address.ts";

/** The rows of a page that are ticked. */
export interface Choosing {
  /** The ids of those that are ticked, in the order of the page. */
  ids: readonly string[];
  isWholePage: boolean;
  /** All rows of the list are chosen, also those of other pages: until a tick, Clear or another address. */
  isWholeList: boolean;
  setWholeList: (isWhole: boolean) => void;
  /** Whether a phone shows the ticks; wider pages always do. */
  isOpen: boolean;
  setOpen: (isOpen: boolean) => void;
  toggle: (id: string) => void;
  /** Ticks all rows of the page, or none. */
  setAll: (isTicked: boolean) => void;
}

/** null: a list whose rows cannot be ticked. */
export const ChoosingContext = createContext<Choosing | null>(null);

/** The ticks of a page of a list. Another page, search or filter has none; a row that goes takes its tick along. */
export function useChoosing(rows: readonly { id: string }[]): Choosing {
  const page = useListAddress().hrefWithoutDialog;
  const none = { page, ids: new Set<string>(), isWholeList: false };
  const [state, setState] = useState(none);
  if (state.page !== page) setState(none);
  const { ids: ticked, isWholeList } = state.page === page ? state : none;
  const [isOpen, setOpen] = useState(false);
  const ids = rows.flatMap(({ id }) => (isWholeList || ticked.has(id) ? [id] : []));
  const setIds = (next: Set<string>) => setState({ page, ids: next, isWholeList: false });
  return {
    ids,
    isWholePage: rows.length > 0 && ids.length === rows.length,
    isWholeList,
    setWholeList: (isWhole) =>
      setState({ page, ids: new Set(rows.map(({ id }) => id)), isWholeList: isWhole }),
    isOpen,
    setOpen: (opens) => {
      setOpen(opens);
      if (!opens) setIds(new Set());
    },
    toggle: (id) => {
      const next = new Set(ids);
      if (!next.delete(id)) next.add(id);
      setIds(next);
    },
    setAll: (isTicked) => setIds(new Set(isTicked ? rows.map(({ id }) => id) : [])),
  };
}

/** On phones: shows the ticks of the rows. */
export function ChooseButton({ choosing }: { choosing: Choosing }) {
  return (
    <span className="min-[720px]:hidden">
      <IconButton
        label="Select rows"
        aria-pressed={choosing.isOpen}
        className="border border-field bg-card aria-pressed:border-ink aria-pressed:text-ink"
        onClick={() => choosing.setOpen(!choosing.isOpen)}
      >
        <ListChecks className="size-4.5" aria-hidden="true" />
      </IconButton>
    </span>
  );
}

/** On phones, whose tables have no heads: the tick of the page. */
export function TickOfPage({ choosing: { isWholePage, setAll } }: { choosing: Choosing }) {
  return (
    <div className="border-line border-b px-3.5 min-[720px]:hidden">
      <CheckField
        label="Select all on this page"
        checked={isWholePage}
        onChange={() => setAll(!isWholePage)}
      />
    </div>
  );
}

/** The ticks as a column of the table; none where rows cannot be ticked. */
export function useTicks<Row>(
  rowId: (row: Row) => string,
  rowName: (row: Row) => string = rowId,
): Column<Row>[] {
  const choosing = useContext(ChoosingContext);
  if (choosing === null) return [];
  const { ids, isWholePage, setAll, toggle } = choosing;
  return [
    {
      id: "tick",
      className: "min-[720px]:w-9 min-[720px]:pr-0",
      ...(choosing.isOpen && { phone: "tick" as const }),
      // Not on phones, where the head appears while something in it has the focus.
      header: (
        <>
          <span className="max-[720px]:hidden">
            <Tick
              label="Select all rows of this page"
              isTicked={isWholePage}
              isPartly={ids.length > 0 && !isWholePage}
              onChange={() => setAll(!isWholePage)}
            />
          </span>
          <span className="sr-only min-[720px]:hidden">Selected</span>
        </>
      ),
      cell: (row) => (
        <Tick
          label={`Select ${rowName(row)}`}
          isTicked={ids.includes(rowId(row))}
          onChange={() => toggle(rowId(row))}
        />
      ),
    },
  ];
}

interface TickProps {
  label: string;
  isTicked: boolean;
  /** Some rows are ticked. */
  isPartly?: boolean;
  onChange: () => void;
}

function Tick({ label, isTicked, isPartly = false, onChange }: TickProps) {
  return (
    <label className="-m-2 inline-flex cursor-pointer p-2 align-middle max-[720px]:-m-3 max-[720px]:p-3">
      <input
        type="checkbox"
        aria-label={label}
        checked={isTicked}
        onChange={onChange}
        ref={(input) => {
          if (input !== null) input.indeterminate = isPartly;
        }}
        className="size-5 shrink-0 outline-accent outline-offset-2 focus-visible:outline-2"
      />
    </label>
  );
}
