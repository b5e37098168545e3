import { isRouteErrorResponse } from "react-router";
import { ErrorPage, errorMeta } from "../errors/error-page.tsx";
import { NotFoundScreen } from "../errors/not-found-screen.tsx";
import { shopContext } from "../request/request-context.ts";
import type { Route } from "./+types/tool-page";
import { HUMANIZER_SLUG } from "./page-path.ts";
import { loadToolPage, toolPageHeaders } from "./tool-page.server.ts";
import { ToolScreen, toolPageMeta } from "./tool-screen.tsx";

export const headers = toolPageHeaders;

export const meta: Route.MetaFunction = ({ loaderData, matches, error }) =>
  loaderData ? toolPageMeta(loaderData.page, matches[1].loaderData) : errorMeta(error, matches[1].loaderData);

/** The path `/aihumanizer` has no slug parameter. */
export function loader({ url, params, context }: Route.LoaderArgs) {
  return loadToolPage(context.get(shopContext), url, params.slug ?? HUMANIZER_SLUG);
}

/** The tool page of every tool. */
export default function ToolPage({ loaderData }: Route.ComponentProps) {
  return <ToolScreen {...loaderData} />;
}

/** For a tool that does not exist, the page of the shop with its navigation. */
export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  if (isRouteErrorResponse(error) && error.status === 404) return <NotFoundScreen />;
  return <ErrorPage error={error} />;
}
