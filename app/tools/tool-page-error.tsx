import { isRouteErrorResponse } from "react-router";
import { ErrorPage } from "../error-page.tsx";
import { NotFoundScreen } from "../not-found-screen.tsx";

/** The error page of tool pages: for a tool that does not exist, the page of the shop with its navigation. */
export function ToolPageError({ error }: { error: unknown }) {
  if (isRouteErrorResponse(error) && error.status === 404) return <NotFoundScreen />;
  return <ErrorPage error={error} />;
}
