import { useEffect, useRef } from "react";
import { NavLink, useLocation } from "react-router";
import type { TabCounts } from "#core/counters/read-counts.server.ts";
import { classNames } from "../../ui/class-names.ts";

interface Tab {
  to: string;
  label: string;
  /** Which count stands beside the label; none for the pages beside the six lists. */
  count?: keyof TabCounts;
}

const TABS: readonly Tab[] = [
  { to: "/admin", label: "Users Management", count: "users" },
  { to: "/admin/tools", label: "Tools Management", count: "tools" },
  { to: "/admin/access-codes", label: "Access Codes", count: "accessCodes" },
  { to: "/admin/purchases", label: "User Purchases", count: "purchases" },
  { to: "/admin/coupons", label: "Coupon Codes", count: "coupons" },
  { to: "/admin/credentials", label: "Credentials", count: "credentials" },
];

const PANEL_ID = "admin-panel";

const counts = new Intl.NumberFormat("en-IN");

/** The tabs of the admin. Each is a link, so that the browser's history, a new window and a slow network work. */
export function AdminTabs({ tabCounts }: { tabCounts: TabCounts }) {
  const list = useRef<HTMLDivElement>(null);
  const { pathname } = useLocation();
  const path = pathname.replace(/\/+$/, "");

  // The row scrolls on phones.
  useEffect(() => {
    if (path === "") return;
    list.current
      ?.querySelector('[aria-selected="true"]')
      ?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [path]);

  const moveFocus = (event: React.KeyboardEvent<HTMLDivElement>) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const links = [...event.currentTarget.querySelectorAll("a")];
    const at = links.findIndex((link) => link === document.activeElement);
    if (step === undefined || at < 0) return;
    event.preventDefault();
    links[(at + step + links.length) % links.length]?.focus();
  };
  return (
    <div
      ref={list}
      role="tablist"
      aria-label="Admin"
      tabIndex={-1}
      onKeyDown={moveFocus}
      className="flex gap-1 overflow-x-auto border-line border-b [scrollbar-width:none]"
    >
      {TABS.map(({ to, label, count }) => {
        const selected = path === to;
        return (
          <NavLink
            key={to}
            to={to}
            role="tab"
            aria-selected={selected}
            aria-controls={PANEL_ID}
            tabIndex={selected ? 0 : -1}
            preventScrollReset
            prefetch="intent"
            className={classNames(
              "-mb-px inline-flex min-h-11 shrink-0 items-center gap-2 whitespace-nowrap border-b-2 px-3 text-sm",
              selected
                ? "border-marigold font-semibold text-ink"
                : "border-transparent text-muted hover:text-ink",
            )}
          >
            {label}
            {count ? <span className="tabular-nums">({counts.format(tabCounts[count])})</span> : null}
          </NavLink>
        );
      })}
    </div>
  );
}

/** The id and the name of the panel of the selected tab. */
export function tabPanelProps(pathname: string) {
  const path = pathname.replace(/\/+$/, "");
  const tab = TABS.find(({ to }) => to === path);
  return { id: PANEL_ID, role: "tabpanel", "aria-label": tab?.label ?? "Admin" } as const;
}
