import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { NavLink, useLocation, useNavigationType } from "react-router";
import { MAX_COUNTED } from "#core/lists/paging.ts";
import type { TabCounts } from "#core/reports/read-dashboard.server.ts";
import { classNames } from "../../ui/class-names.ts";
import { formatCount } from "../format-count.ts";
import { findAdminPage } from "./dashboard-header.tsx";

interface Tab {
  to: string;
  label: string;
  /** Which count stands beside the label. */
  count: keyof TabCounts;
}

const TABS: readonly Tab[] = [
  { to: "/admin", label: "Users Management", count: "users" },
  { to: "/admin/tools", label: "Tools Management", count: "tools" },
  { to: "/admin/access-codes", label: "Access Codes", count: "accessCodes" },
  { to: "/admin/purchases", label: "User Purchases", count: "purchases" },
  { to: "/admin/coupons", label: "Coupon Codes", count: "coupons" },
  { to: "/admin/credentials", label: "Credentials", count: "credentials" },
];

export const PANEL_ID = "admin-panel";

/** "10,000+" for more than are counted. */
const countText = (count: number) =>
  count > MAX_COUNTED ? `${formatCount(MAX_COUNTED)}+` : formatCount(count);

/** The tabs of the admin. Each is a link, so that the browser's history, a new window and a slow network work. */
export function AdminTabs({ tabCounts }: { tabCounts: TabCounts }) {
  const row = useRef<HTMLDivElement>(null);
  const path = useLocation().pathname.replace(/\/+$/, "");

  const shownPath = useRef<string | null>(null);
  const isPressed = useNavigationType() === "PUSH";
  useEffect(() => {
    const isFirst = shownPath.current === null;
    if (shownPath.current === path) return;
    shownPath.current = path;
    // The row scrolls on phones.
    row.current
      ?.querySelector('[aria-selected="true"]')
      ?.scrollIntoView({ block: "nearest", inline: "nearest" });
    // On phones the lists start below the fold, so that a press on a tab would change nothing in sight.
    if (!isFirst && isPressed && isListPage(path) && !matchMedia("(min-width: 720px)").matches)
      row.current?.scrollIntoView({ block: "start" });
  }, [path, isPressed]);

  const { edges, updateEdges } = useHiddenEdges(row);

  const moveFocus = (event: React.KeyboardEvent<HTMLDivElement>) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const links = [...event.currentTarget.querySelectorAll("a")];
    const at = links.findIndex((link) => link.matches(":focus"));
    if (step === undefined || at < 0) return;
    event.preventDefault();
    links[(at + step + links.length) % links.length]?.focus();
  };
  // One tab can be reached with the Tab key: the selected one, or the first while another page is shown.
  const inOrder = TABS.find(({ to }) => to === path) ?? TABS[0];
  return (
    <div
      ref={row}
      role="tablist"
      aria-label="Admin"
      tabIndex={-1}
      onKeyDown={moveFocus}
      onScroll={updateEdges}
      className={classNames(
        // The padding keeps a tab that is scrolled to out of the fade. The margin takes back the room for the shop's header,
        // which stays in the window, while the admin's header does not.
        "-scroll-mt-18 flex scroll-px-14 gap-1 overflow-x-auto border-line border-b [scrollbar-width:none]",
        edges.start && "fade-start",
        edges.end && "fade-end",
      )}
    >
      {TABS.map((tab) => (
        <NavLink
          key={tab.to}
          to={tab.to}
          end
          role="tab"
          aria-selected={path === tab.to}
          aria-controls={PANEL_ID}
          tabIndex={tab === inOrder ? 0 : -1}
          preventScrollReset
          prefetch="intent"
          className={classNames(
            "-mb-px inline-flex min-h-11 shrink-0 items-center gap-2 whitespace-nowrap border-b-2 px-3 text-sm",
            path === tab.to
              ? "border-marigold font-semibold text-ink"
              : "border-transparent text-muted hover:text-ink",
          )}
        >
          <span>{tab.label}</span>
          <span className="tabular-nums">{`(${countText(tabCounts[tab.count])})`}</span>
        </NavLink>
      ))}
    </div>
  );
}

/** At which ends of a row that scrolls something is out of sight. */
function useHiddenEdges(row: RefObject<HTMLElement | null>) {
  const [edges, setEdges] = useState({ start: false, end: false });
  const updateEdges = useCallback(() => {
    const { scrollLeft = 0, scrollWidth = 0, clientWidth = 0 } = row.current ?? {};
    const start = scrollLeft > 1;
    const end = scrollLeft + clientWidth < scrollWidth - 1;
    setEdges((known) => (known.start === start && known.end === end ? known : { start, end }));
  }, [row]);
  useEffect(() => {
    if (row.current === null) return;
    const observer = new ResizeObserver(updateEdges);
    observer.observe(row.current);
    return () => observer.disconnect();
  }, [row, updateEdges]);
  return { edges, updateEdges };
}

/** Whether the page is one of the six lists. */
export function isListPage(pathname: string): boolean {
  return TABS.some(({ to }) => to === pathname.replace(/\/+$/, ""));
}

/** Whether the page is the first list, which is where the admin starts. */
export function isFirstTab(pathname: string): boolean {
  return TABS[0]?.to === pathname.replace(/\/+$/, "");
}

/** The attributes of the part below the tabs: the panel of the selected tab, or a page beside them. */
export function tabPanelProps(pathname: string) {
  const path = pathname.replace(/\/+$/, "");
  const page = findAdminPage(pathname);
  if (page) return { id: PANEL_ID, "aria-label": page.label } as const;
  const tab = TABS.find(({ to }) => to === path);
  return { id: PANEL_ID, role: "tabpanel", "aria-label": tab?.label ?? "Admin" } as const;
}
