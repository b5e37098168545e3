import { useState } from "react";

/** Which dialog is open, and for which row. The row stays known while the dialog closes. */
export function useRowDialog<Name extends string, Row>() {
  const [opened, setOpened] = useState<{ name: Name; row: Row } | null>(null);
  const [isOpen, setOpen] = useState(false);
  return {
    /** The row that the dialog is about, as it was when the dialog was opened; null before the first one. */
    row: opened?.row ?? null,
    isOpen: (name: Name) => isOpen && opened?.name === name,
    open: (name: Name, row: Row) => {
      setOpened({ name, row });
      setOpen(true);
    },
    close: () => setOpen(false),
  };
}
