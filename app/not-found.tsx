import { data } from "react-router";
import { NOT_FOUND, NotFoundScreen } from "./error-page.tsx";

export const meta = () => [{ title: NOT_FOUND.title }, { name: "robots", content: "noindex" }];

/** Every address without a page gets the status 404. */
export function loader() {
  return data(null, { status: 404 });
}

export default function NotFound() {
  return <NotFoundScreen />;
}
