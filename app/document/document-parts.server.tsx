import type { EntryContext } from "react-router";
import homeStyles from "../storefront/home.css?inline";
import shopStyles from "../storefront/shop/shop-page.css?inline";
import stylesheet from "../ui/styles.css?url";
import { catalogueUrl } from "../ui/texts/catalogue-url.ts";
import { currentLanguage, t } from "../ui/texts/texts.ts";
import type { DocumentParts } from "./document-parts.ts";
import { CAPTURE_PRE_HYDRATION_EVENTS, watchScripts } from "./pre-hydration-events.ts";

/** The styles of pages that are visible before their stylesheet has loaded, by route. */
const INLINE_STYLES: Readonly<Record<string, string>> = {
  "storefront/home": homeStyles,
  "storefront/shop/shop-page": shopStyles,
};

/** By a script, because a browser without scripts would load the catalogue in vain. */
const preloadCatalogue = (url: string) =>
  `document.head.append(Object.assign(document.createElement("link"),{rel:"preload",as:"fetch",crossOrigin:"anonymous",href:${JSON.stringify(url)}}));`;

/** React moves a preload to the head unless it has a handler. No handler is sent to the browser. */
const KEEP_IN_PLACE = () => undefined;

/**
 * The stylesheet, and what starts the page in the browser, in place of the router's `Links` and `Scripts`. All downloads share one
 * slow connection, so the scripts come after the contents and with a low priority. On pages with inline styles the
 * stylesheet comes after the scripts, which load it.
 *
 * The two inline scripts set what `Scripts` and `StreamTransfer` of React Router 8.4 set in the window, and `HydratedRouter`
 * reads. It has no public interface for that. An update of the router compares them; the journeys fail when they differ.
 *
 * @param data of the page, as the router has encoded it
 * @param nonce of the page's inline scripts and styles
 * @param mayReload whether the page was requested by a method that changes nothing
 */
export function documentParts(
  context: EntryContext,
  data: string,
  nonce: string,
  mayReload: boolean,
): DocumentParts {
  const { manifest, staticHandlerContext, serverHandoffString = "{}" } = context;
  const routeIds = staticHandlerContext.matches.map(({ route }) => route.id);
  const lastId = routeIds.at(-1);
  const inlineStyles = staticHandlerContext.errors || !lastId ? undefined : INLINE_STYLES[lastId];
  const catalogue = catalogueUrl(currentLanguage());
  const routes = routeIds.map((id) => requireRoute(manifest, id));
  const modules = new Set([
    manifest.url,
    manifest.entry.module,
    ...manifest.entry.imports,
    ...routes.flatMap(({ module, imports = [] }) => [module, ...imports]),
  ]);
  return {
    head: (
      <>
        <script nonce={nonce}>{CAPTURE_PRE_HYDRATION_EVENTS}</script>
        <script nonce={nonce}>
          {watchScripts({ title: t("This page did not load fully"), reload: t("Reload") }, mayReload)}
        </script>
        {inlineStyles === undefined ? (
          <link rel="stylesheet" href={stylesheet} />
        ) : (
          <style nonce={nonce}>{inlineStyles}</style>
        )}
      </>
    ),
    bodyEnd: (
      <>
        <script nonce={nonce}>{dataScript(serverHandoffString, data)}</script>
        {[...modules].map((href) => (
          <link key={href} rel="modulepreload" href={href} fetchPriority="low" onLoad={KEEP_IN_PLACE} />
        ))}
        {catalogue === undefined ? null : <script nonce={nonce}>{preloadCatalogue(catalogue)}</script>}
        <script type="module" async nonce={nonce}>
          {startScript(manifest, routes)}
        </script>
      </>
    ),
  };
}

type Manifest = EntryContext["manifest"];

function requireRoute(manifest: Manifest, id: string) {
  const route = manifest.routes[id];
  if (!route) throw new Error(`the manifest has no route ${id}`);
  if (manifest.sri || route.clientLoaderModule || route.clientActionModule || route.clientMiddlewareModule)
    throw new Error("integrity hashes and split route modules are not supported by this start of a page");
  return route;
}

/**
 * React escapes `<script` and `</script` in the text of a script. The data is full of double quotes, so it stands in single ones, where
 * they need no escape.
 */
function dataScript(handoff: string, data: string): string {
  const literal = JSON.stringify(data).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `window.__reactRouterContext=${handoff};window.__reactRouterContext.stream=new ReadableStream({start(controller){controller.enqueue('${literal}');controller.close();}}).pipeThrough(new TextEncoderStream());`;
}

/** Imports the modules of the routes, which the router expects in the window, and then the page's entry. */
function startScript(manifest: Manifest, routes: readonly { id: string; module: string }[]): string {
  const imports = [...(manifest.hmr ? [manifest.hmr.runtime] : []), manifest.url].map(
    (module) => `import ${JSON.stringify(module)};`,
  );
  const routeImports = routes.map(
    ({ module }, at) => `import * as route${at} from ${JSON.stringify(module)};`,
  );
  const routeModules = routes.map(({ id }, at) => `${JSON.stringify(id)}:route${at}`);
  return `${[...imports, ...routeImports].join("")}window.__reactRouterRouteModules={${routeModules.join(",")}};import(${JSON.stringify(manifest.entry.module)}).catch((error)=>{console.error(error);window.preHydrationEvents.onScriptsMissing();});`;
}
