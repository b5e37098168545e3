import { errorMeta } from "../error-page.tsx";
import { shopContext } from "../middleware/request-context.ts";
import type { Route } from "./+types/tool-page";
import { loadToolPage, toolPageHeaders } from "./load-tool-page.server.ts";
import { HUMANIZER_SLUG } from "./page-path.ts";
import { ToolPageError } from "./tool-page-error.tsx";
import { ToolScreen, toolPageMeta } from "./tool-screen.tsx";

export const headers = toolPageHeaders;

export const meta: Route.MetaFunction = ({ loaderData, matches, error }) =>
  loaderData ? toolPageMeta(loaderData.page, matches[1].loaderData) : errorMeta(error);

/** The path `/aihumanizer` has no slug parameter. */
export function loader({ url, params, context }: Route.LoaderArgs) {
  return loadToolPage(context.get(shopContext), url, params.slug ?? HUMANIZER_SLUG);
}

/** The tool page of every tool without a page of its own. */
export default function ToolPage({ loaderData }: Route.ComponentProps) {
  return <ToolScreen {...loaderData} />;
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  return <ToolPageError error={error} />;
}
