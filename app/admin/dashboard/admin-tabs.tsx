import { useEffect, useRef } from "react";
import { NavLink, useLocation } from "react-router";
import { MAX_COUNTED } from "#core/lists/paging.ts";
import type { TabCounts } from "#core/reports/read-dashboard.server.ts";
import { Badge } from "../../ui/badge.tsx";
import { classNames } from "../../ui/class-names.ts";
import { VisuallyHidden } from "../../ui/text.tsx";
import { useHiddenEdges } from "../../ui/use-hidden-edges.ts";
import { formatCount } from "../format-count.ts";

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

const OVERVIEW = "/admin/overview";

/** The pages beside the six lists. */
const PAGES = [
  { to: OVERVIEW, label: "Overview" },
  { to: "/admin/settings", label: "Settings" },
  { to: "/admin/mail", label: "Emails" },
  { to: "/admin/audit", label: "Audit log" },
  { to: "/admin/health", label: "Health" },
] as const;

/** The page beside the lists at this address, if there is any. */
export function findAdminPage(pathname: string) {
  const path = pathname.replace(/\/+$/, "");
  return PAGES.find(({ to }) => to === path);
}

const PANEL_ID = "admin-panel";

/** "10,000+" for more than are counted. */
const countText = (count: number) =>
  count > MAX_COUNTED ? `${formatCount(MAX_COUNTED)}+` : formatCount(count);

interface AdminNavigationProps {
  tabCounts: TabCounts;
  /** How many lines of the overview need the owner. */
  attention: number;
}

/**
 * The tabs of the admin, and on narrow pages the links to the pages beside them. Each is a link, so that the browser's history, a
 * new window and a slow network work.
 */
export function AdminNavigation({ tabCounts, attention }: AdminNavigationProps) {
  const row = useRef<HTMLElement>(null);
  const path = useLocation().pathname.replace(/\/+$/, "");

  useEffect(() => {
    // The row scrolls on phones.
    row.current?.querySelector(`[href="${path}"]`)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [path]);

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
    <nav
      ref={row}
      aria-label="Admin"
      onScroll={updateEdges}
      className={classNames(
        // The padding keeps a link that is scrolled to out of the fade.
        "relative flex scroll-px-14 overflow-x-auto border-line border-b [scrollbar-width:none]",
        edges.start && "fade-start",
        edges.end && "fade-end",
      )}
    >
      <div role="tablist" aria-label="Lists" tabIndex={-1} onKeyDown={moveFocus} className="flex">
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
            className={linkClasses(path === tab.to)}
          >
            <span>{tab.label}</span>
            <span className="tabular-nums">{`(${countText(tabCounts[tab.count])})`}</span>
          </NavLink>
        ))}
      </div>
      <AdminPages attention={attention} className="flex lg:hidden" />
    </nav>
  );
}

/** The links to the pages beside the lists: in the first line of the page, or after the tabs where that is too short. */
export function AdminPages({ attention, className }: { attention: number; className: string }) {
  const path = useLocation().pathname.replace(/\/+$/, "");
  return (
    <div className={className}>
      {PAGES.map(({ to, label }) => (
        <NavLink
          key={to}
          to={to}
          end
          preventScrollReset
          prefetch="intent"
          className={linkClasses(path === to)}
        >
          <span>{label}</span>
          {to === OVERVIEW && attention > 0 ? (
            <Badge tone="warning">
              <span className="tabular-nums">{formatCount(attention)}</span>
              <VisuallyHidden>{attention === 1 ? " needs attention" : " need attention"}</VisuallyHidden>
            </Badge>
          ) : null}
        </NavLink>
      ))}
    </div>
  );
}

const linkClasses = (isShown: boolean) =>
  classNames(
    "-mb-px inline-flex min-h-11 shrink-0 items-center gap-1.5 whitespace-nowrap border-b-2 px-3 text-sm",
    isShown ? "border-marigold font-semibold text-ink" : "border-transparent text-muted hover:text-ink",
  );

/** The attributes of the part below the tabs: the panel of the selected tab, or a page beside them. */
export function tabPanelProps(pathname: string) {
  const path = pathname.replace(/\/+$/, "");
  const page = findAdminPage(pathname);
  if (page) return { id: PANEL_ID, "aria-label": page.label } as const;
  const tab = TABS.find(({ to }) => to === path);
  return { id: PANEL_ID, role: "tabpanel", "aria-label": tab?.label ?? "Admin" } as const;
}
