import { startTransition, useEffect, useRef, useState } from "react";
import {
  type ShouldRevalidateFunctionArgs,
  useFetchers,
  useLocation,
  useNavigate,
  useNavigationType,
  useRevalidator,
  useSearchParams,
} from "react-router";
import { z } from "zod";
import { useAdminFeedback } from "../dashboard/admin-feedback.tsx";
import { DIALOG_PARAMETERS, OVER_LIST, SAME_LIST, useListAddress } from "../lists/use-list-address.ts";
import { setMovedByPage } from "./admin-dialog.tsx";
import type { Opened } from "./opened.ts";

/** The dialogs of a page. At most one is open: the one that the address names. */
export interface Dialogs<Name extends string, Row> {
  /** The row as it was when the dialog was opened. It stays while the dialog closes, and when the list no longer has it. */
  row: Row | null;
  isOpen: (name: Name) => boolean;
  /** Opens a dialog, in place of the open one if there is one. */
  open: (name: Name, row: Row | null) => void;
  close: () => void;
  /** @param newName the name of the same dialog without a row */
  of: (name: Name, newName?: Name) => Opened<Row>;
}

interface KnownRows<Row> {
  rows: readonly Row[];
  opened?: Row | null;
}

interface State<Name, Row> {
  name: Name | null;
  row: Row | null;
  /** The router's key of the address that has opened it; null while none is open. */
  openKey: string | null;
  /** The number of dialogs that have been opened. */
  opening: number;
}

/**
 * The dialogs of a page, each with an address: `?dialog=edit&row=ID` opens one over the page, and a reload or a link opens it too.
 * The back button closes it.
 *
 * @param names of those dialogs; others that the address names belong to another component
 */
export function useDialogs<const Name extends string, Row extends { id: string }>(
  names: readonly Name[],
  { rows, opened = null }: KnownRows<Row>,
): Dialogs<Name, Row> {
  const { key, state: entryState } = useLocation();
  const [params] = useSearchParams();
  const address = useListAddress();
  const navigate = useNavigate();
  const named = params.get(DIALOG_PARAMETERS.name);
  const name = names.find((known) => known === named) ?? null;
  const rowId = params.get(DIALOG_PARAMETERS.row);
  const current = rowId === null ? null : ([...rows, opened].find((row) => row?.id === rowId) ?? null);
  const [closedKey, setClosedKey] = useState<string | null>(null);
  const [state, setState] = useState<State<Name, Row>>({ name: null, row: null, openKey: null, opening: 0 });

  const isKnown = rowId === null || current !== null || state.openKey === key;
  const openKey = name !== null && isKnown && closedKey !== key && !closedEntries.has(key) ? key : null;
  // The forward button returns to an address that was closed.
  if (name === null && closedKey !== null) setClosedKey(null);
  if (openKey !== state.openKey)
    setState(
      openKey === null ? { ...state, openKey } : { name, row: current, openKey, opening: state.opening + 1 },
    );
  useEffect(() => {
    if (key) setMovedByPage(false);
  }, [key]);
  useMissingRow(name !== null && !isKnown && !closedEntries.has(key) ? key : null);

  const isOpen = (asked: Name) => openKey !== null && openKey === state.openKey && state.name === asked;
  const open = (opens: Name, row: Row | null) => {
    setMovedByPage(true);
    const to = address.dialogHref(opens, row?.id ?? null);
    // The entry below has the list as it was before a search that is still loading.
    const isOverList =
      name === null
        ? address.isSettled()
        : entryState?.[OVER_LIST] === true || entryState?.[SAME_LIST] === true;
    void navigate(to, {
      // One entry is over the list, however many dialogs are opened and closed.
      replace: name !== null || entryState?.[SAME_LIST] === true,
      state: isOverList ? { [OVER_LIST]: true } : null,
      preventScrollReset: true,
    });
  };
  const close = () => {
    if (openKey === null) return;
    setClosedKey(key);
    setMovedByPage(true);
    // A question over the dialog may have left an entry, which is then replaced in place of this one.
    closedEntries.add(key);
    // Not back in the history, which takes a while and would undo what is pressed meanwhile.
    void navigate(address.hrefWithoutDialog, {
      replace: true,
      state: entryState?.[OVER_LIST] === true ? { [SAME_LIST]: true } : null,
      preventScrollReset: true,
    });
  };
  const isClosedEntry = name !== null && closedEntries.has(key);
  useEffect(() => {
    if (isClosedEntry && closedKey !== key)
      void navigate(address.hrefWithoutDialog, { replace: true, preventScrollReset: true });
  });
  return {
    row: state.row,
    isOpen,
    open,
    close,
    of: (of, newName = of) => {
      // Without its row an address opens nothing that needs one.
      const isShown = isOpen(newName) || (isOpen(of) && state.row !== null);
      return {
        isAddressed: true,
        isOpen: isShown,
        value: state.row,
        current,
        key: state.opening,
        open: (row) => open(row === null ? newName : of, row),
        // A late answer of this dialog must not close another one.
        close: () => {
          if (isShown) close();
        },
      };
    },
  };
}

/** The router's keys of the entries of dialogs that were closed. Back does not open them again. */
const closedEntries = new Set<string>();

const entryNumber = z.object({ idx: z.number() });

/** For the frame of all pages with dialogs: Back leaves the list at once, although a closed dialog has left a second entry of it. */
export function useSkippedEntries(): void {
  const { key, state } = useLocation();
  const type = useNavigationType();
  const navigate = useNavigate();
  const isSameList = state?.[SAME_LIST] === true || closedEntries.has(key);
  const shown = useRef({ at: 0, isSameList: false });
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each entry, when the router shows it
  useEffect(() => {
    const at = entryNumber.safeParse(window.history.state).data?.idx ?? 0;
    const { current } = shown;
    shown.current = { at, isSameList };
    // The entries of a menu or a question have the number of the entry below them.
    if (type === "POP" && at <= current.at && current.isSameList) void navigate(-1);
  }, [key]);
}

/**
 * For the frame of all pages with dialogs: a dialog that is opened or closed while the page loads its data again, such as after an
 * operation, ends that load. Then it is made again.
 */
export function useInterruptedLoads(): void {
  const { key, pathname } = useLocation();
  const { state, revalidate } = useRevalidator();
  const isLoading = [state, ...useFetchers().map((fetcher) => fetcher.state)].includes("loading");
  const before = useRef({ key, pathname, isLoading });
  useEffect(() => {
    const { current } = before;
    before.current = { key, pathname, isLoading };
    if (current.key !== key && current.pathname === pathname && current.isLoading) void revalidate();
  });
}

/** Loads the list again for a row that it does not have, and then says that there is no such row. */
function useMissingRow(key: string | null): void {
  const feedback = useAdminFeedback();
  const navigate = useNavigate();
  const { revalidate } = useRevalidator();
  const { hrefWithoutDialog } = useListAddress();
  const asked = useRef<string | null>(null);
  const [loaded, setLoaded] = useState<string | null>(null);
  useEffect(() => {
    if (key === null) return;
    if (asked.current !== key) {
      asked.current = key;
      // In a transition, because the router renders the loaded data in one.
      void revalidate().then(() => startTransition(() => setLoaded(key)));
    } else if (loaded === key) {
      setLoaded(null);
      feedback.showError("What this address was about does not exist any more.");
      void navigate(hrefWithoutDialog, { replace: true, preventScrollReset: true });
    }
  });
}

/** For the route of a page with dialogs: to open or close one loads nothing again. */
export function revalidateList(change: ShouldRevalidateFunctionArgs): boolean {
  const { currentUrl, nextUrl, formMethod, defaultShouldRevalidate } = change;
  const isOtherDialog =
    formMethod === undefined &&
    currentUrl.href !== nextUrl.href &&
    withoutDialog(currentUrl) === withoutDialog(nextUrl);
  return !isOtherDialog && defaultShouldRevalidate;
}

function withoutDialog({ pathname, searchParams }: URL): string {
  const rest = new URLSearchParams(searchParams);
  for (const parameter of Object.values(DIALOG_PARAMETERS)) rest.delete(parameter);
  return `${pathname}?${rest}`;
}
