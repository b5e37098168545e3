import { useEffect } from "react";
import { type DataRouter, matchRoutes } from "react-router";
import { whenIdle } from "./when-idle.ts";

/**
 * Internals of React Router 8.4, which has no public way to load the code of a route. Declared as far as they are used.
 */
declare global {
  interface Window {
    __reactRouterDataRouter?: DataRouter;
    __reactRouterManifest?: { routes: Record<string, { module: string; imports?: string[] } | undefined> };
    __reactRouterRouteModules?: Record<string, unknown>;
  }
}

const loaded = new Set<string>();

/**
 * The addresses of the route modules that `path` needs and that this document has not loaded, with what they import: a browser
 * would ask for that only after it has read them.
 */
export function findMissingModules(path: string): string[] {
  const {
    __reactRouterDataRouter: router,
    __reactRouterManifest: manifest,
    __reactRouterRouteModules: known = {},
  } = window;
  // The development server has no built chunks.
  if (!import.meta.env.PROD || !router || !manifest) return [];
  const { pathname } = new URL(path, window.location.href);
  return (matchRoutes(router.routes, pathname) ?? [])
    .map(({ route: { id } }) => (id in known ? undefined : manifest.routes[id]))
    .flatMap((route) => (route === undefined ? [] : [route.module, ...(route.imports ?? [])]))
    .filter((address) => !loaded.has(address));
}

/** Loads route modules, so that the router's own import of them needs no network. Rejects when one cannot be loaded. */
export async function loadModules(addresses: readonly string[]): Promise<void> {
  await Promise.all(
    addresses.map(async (address) => {
      await import(/* @vite-ignore */ address);
      loaded.add(address);
    }),
  );
}

/** Loads the modules for `paths`, so that no navigation or submission to them can fail because of missing code. */
export async function loadRoutes(paths: readonly string[]): Promise<void> {
  await loadModules([...new Set(paths.flatMap(findMissingModules))]);
}

/** The pages that a signed-in buyer can reach from any page. The pages of all tools share the module of one. */
const PATHS = [
  "/",
  "/dashboard",
  "/account",
  "/account/orders/any",
  "/tools/any",
  "/aihumanizer",
  "/auth/sign-out",
];

/** Loads the code of the signed-in pages when the browser is idle, so that they also open on a poor connection. */
export function usePreloadedRoutes(signedIn: boolean): void {
  useEffect(() => {
    if (!signedIn) return;
    // A module that cannot be loaded now is loaded by the navigation.
    return whenIdle(() => void loadRoutes(PATHS).catch(() => undefined));
  }, [signedIn]);
}
