import type { ReactNode } from "react";

/** Leads to another view of the modal: looks like a link in a line of words, and is a button, as it has no address. */
export function WordLink({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="-my-2 inline-flex min-h-11 items-center self-start rounded-sm font-medium text-accent text-sm underline underline-offset-4 hover:decoration-2"
    >
      {children}
    </button>
  );
}
