import { data } from "react-router";
import { unlistedPageMeta } from "../unlisted-page-meta.ts";
import type { Route } from "./+types/not-found";
import { describeNotFound } from "./error-page.tsx";
import { NotFoundScreen } from "./not-found-screen.tsx";

export const meta: Route.MetaFunction = ({ matches }) =>
  unlistedPageMeta(matches[1].loaderData, describeNotFound().title);

/** Every address without a page gets the status 404. */
export function loader() {
  return data(null, { status: 404 });
}

export default function NotFound() {
  return <NotFoundScreen />;
}
