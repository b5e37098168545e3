import { type ReactNode, useEffect, useState } from "react";
import { useLocation, useNavigation } from "react-router";
import { HomeSkeleton } from "./home-skeleton.tsx";

/** A page that arrives sooner replaces the old one directly. */
const PATIENCE_MS = 120;

/** Shows the catalogue's skeleton while the way home is under way, instead of the page one is leaving. */
export function HomePending({ children }: { children: ReactNode }) {
  const navigation = useNavigation();
  const { pathname } = useLocation();
  const onTheWay =
    navigation.state === "loading" &&
    navigation.formMethod === undefined &&
    navigation.location.pathname === "/" &&
    pathname !== "/";
  const [waited, setWaited] = useState(false);

  useEffect(() => {
    if (!onTheWay) return;
    const timer = setTimeout(() => setWaited(true), PATIENCE_MS);
    return () => {
      clearTimeout(timer);
      setWaited(false);
    };
  }, [onTheWay]);

  return onTheWay && waited ? <HomeSkeleton /> : children;
}
