import { type DataRouter, matchRoutes } from "react-router";

/** What React Router 8.4 keeps for itself: there is no public way to load the code of a route. Only what is used here. */
declare global {
  interface Window {
    __reactRouterDataRouter?: DataRouter;
    __reactRouterManifest?: { routes: Record<string, { module: string } | undefined> };
    __reactRouterRouteModules?: Record<string, unknown>;
  }
}

const loaded = new Set<string>();

/** Addresses of the route modules that `path` needs and this document does not have yet. */
export function missingModules(path: string): string[] {
  const {
    __reactRouterDataRouter: router,
    __reactRouterManifest: manifest,
    __reactRouterRouteModules: known = {},
  } = window;
  // The development server has no finished chunks.
  if (!import.meta.env.PROD || !router || !manifest) return [];
  const { pathname } = new URL(path, window.location.href);
  return (matchRoutes(router.routes, pathname) ?? [])
    .map(({ route: { id } }) => (id in known ? undefined : manifest.routes[id]?.module))
    .filter((address) => address !== undefined)
    .filter((address) => !loaded.has(address));
}

/** Loads route modules; the router's own import of them then needs no network. Rejects when one does not come. */
export async function loadModules(addresses: readonly string[]): Promise<void> {
  await Promise.all(
    addresses.map(async (address) => {
      await import(/* @vite-ignore */ address);
      loaded.add(address);
    }),
  );
}

/** Loads what the routes of `paths` need, so that going there, or submitting to them, cannot fail for want of code. */
export async function loadRoutes(paths: readonly string[]): Promise<void> {
  await loadModules([...new Set(paths.flatMap(missingModules))]);
}
