import { useEffect, useRef, useState } from "react";
import { useLocation, useNavigation } from "react-router";
import { LiveRegion } from "./screen-reader-text.tsx";

/** The first element in the keyboard's order: skips the header to the element with the id "content". */
export function SkipLink() {
  return (
    <a
      href="#content"
      className="fixed top-2 left-2 z-50 -translate-y-20 rounded-control bg-strong px-4 py-3 font-semibold text-on-strong focus:translate-y-0"
    >
      Skip to content
    </a>
  );
}

/** A thin line at the top while the next page loads. A fast navigation ends before the line is visible. */
export function NavigationProgress() {
  const navigation = useNavigation();
  if (navigation.state === "idle") return null;
  return <div aria-hidden="true" className="progress-line fixed inset-x-0 top-0 z-50 h-0.5 bg-marigold" />;
}

/** Announces the title of a new page to screen readers. The browser does so only for the first page. */
export function RouteAnnouncer() {
  const { pathname } = useLocation();
  const announcedPath = useRef(pathname);
  const [title, setTitle] = useState("");

  useEffect(() => {
    if (announcedPath.current === pathname) return;
    announcedPath.current = pathname;
    setTitle(document.title);
  }, [pathname]);

  return <LiveRegion message={title} />;
}
