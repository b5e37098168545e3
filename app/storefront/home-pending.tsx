import type { ReactNode } from "react";
import { useLocation, useNavigation } from "react-router";
import { HomeSkeleton } from "./home-skeleton.tsx";
import { useSlow } from "./use-slow.ts";

/** Shows the skeleton of the home page, instead of the previous page, while the home page loads. */
export function HomePending({ children }: { children: ReactNode }) {
  const navigation = useNavigation();
  const { pathname } = useLocation();
  const loadsHome =
    navigation.state === "loading" &&
    navigation.formMethod === undefined &&
    navigation.location.pathname === "/" &&
    pathname !== "/";
  return useSlow(loadsHome) ? <HomeSkeleton /> : children;
}
