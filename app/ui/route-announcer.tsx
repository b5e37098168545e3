import { useEffect, useRef, useState } from "react";
import { useLocation } from "react-router";
import { LiveRegion } from "./live-region.tsx";

/** Tells those who listen that another page is shown; the browser does so by itself only for the first one. */
export function RouteAnnouncer() {
  const { pathname } = useLocation();
  const shown = useRef(pathname);
  const [title, setTitle] = useState("");

  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    setTitle(document.title);
  }, [pathname]);

  return <LiveRegion message={title} />;
}
