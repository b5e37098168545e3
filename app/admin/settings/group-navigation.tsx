import { useEffect, useRef, useState } from "react";
import { Link, useLocation } from "react-router";
import { classNames } from "#app/ui/class-names.ts";
import { useHiddenEdges } from "../../ui/use-hidden-edges.ts";

/** The groups of the settings page, by their ids, in their order. */
export const SETTINGS_GROUPS = {
  shop: "Shop",
  seller: "Seller",
  benefits: "Benefits",
  claims: "Claims",
  support: "Support",
  links: "Links",
  giveaway: "Daily giveaway",
  extension: "Browser extension",
  "admin-sign-in": "Admin sign-in",
  texts: "Texts",
  backups: "Backups",
  "move-in": "Move in",
} as const;

export type SettingsGroup = keyof typeof SETTINGS_GROUPS;

const IDS = Object.keys(SETTINGS_GROUPS);

/** The links to the groups: beside them, on narrow pages a row above them that scrolls. The group in view is marked. */
export function GroupNavigation() {
  const current = useCurrentGroup();
  const row = useRef<HTMLUListElement>(null);
  const { edges, updateEdges } = useHiddenEdges(row);
  useEffect(() => {
    const list = row.current;
    const link = list?.querySelector<HTMLElement>(`[href$="#${current}"]`);
    // Only the row, and not the page.
    if (list && link) list.scrollTo({ left: link.offsetLeft - (list.clientWidth - link.offsetWidth) / 2 });
  }, [current]);
  return (
    <nav
      aria-label="Settings"
      className="sticky top-0 z-5 -mx-1 border-line border-b bg-paper px-1 lg:top-4 lg:mx-0 lg:w-44 lg:shrink-0 lg:self-start lg:border-b-0 lg:px-0"
    >
      <ul
        ref={row}
        onScroll={updateEdges}
        className={classNames(
          "relative flex overflow-x-auto [scrollbar-width:none] lg:flex-col",
          edges.start && "fade-start",
          edges.end && "fade-end",
        )}
      >
        {Object.entries(SETTINGS_GROUPS).map(([id, title]) => (
          <li key={id}>
            <Link
              to={`#${id}`}
              replace
              aria-current={id === current ? "true" : undefined}
              // As a link within a page does in a browser: the next Tab goes on from there.
              onClick={() => document.getElementById(id)?.focus({ preventScroll: true })}
              className={classNames(
                "inline-flex min-h-11 items-center whitespace-nowrap border-b-2 px-3 text-sm lg:min-h-9 lg:w-full lg:border-b-0 lg:border-l-2",
                id === current
                  ? "border-marigold font-semibold text-ink"
                  : "border-transparent text-muted hover:text-ink lg:border-line",
              )}
            >
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The group at the top of the window. At the end of the page, where the last groups cannot come to the top: the one that the address names. */
function useCurrentGroup(): string | undefined {
  const { hash } = useLocation();
  const [current, setCurrent] = useState(IDS[0]);
  useEffect(() => {
    const look = () => {
      const groups = IDS.flatMap((id) => document.getElementById(id) ?? []);
      const isInView = (group: HTMLElement) => group.getBoundingClientRect().bottom > window.innerHeight / 5;
      const { scrollTop, scrollHeight, clientHeight } = document.documentElement;
      const isAtEnd = scrollTop + clientHeight > scrollHeight - 2;
      const inView = groups.filter(isInView);
      const named = isAtEnd ? inView.find(({ id }) => `#${id}` === hash) : undefined;
      setCurrent((named ?? (isAtEnd ? inView.at(-1) : inView[0]))?.id);
    };
    look();
    window.addEventListener("scroll", look, { passive: true });
    return () => window.removeEventListener("scroll", look);
  }, [hash]);
  return current;
}
