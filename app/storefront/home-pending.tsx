import { type ReactNode, useEffect, useState } from "react";
import { useLocation, useNavigation } from "react-router";
import { HomeSkeleton } from "./home-skeleton.tsx";

/** A faster navigation shows no skeleton. */
const SKELETON_DELAY_MS = 120;

/** Shows the skeleton of the home page, instead of the previous page, while the home page loads. */
export function HomePending({ children }: { children: ReactNode }) {
  const navigation = useNavigation();
  const { pathname } = useLocation();
  const loadsHome =
    navigation.state === "loading" &&
    navigation.formMethod === undefined &&
    navigation.location.pathname === "/" &&
    pathname !== "/";
  const [delayOver, setDelayOver] = useState(false);

  useEffect(() => {
    if (!loadsHome) return;
    const timer = setTimeout(() => setDelayOver(true), SKELETON_DELAY_MS);
    return () => {
      clearTimeout(timer);
      setDelayOver(false);
    };
  }, [loadsHome]);

  return loadsHome && delayOver ? <HomeSkeleton /> : children;
}
