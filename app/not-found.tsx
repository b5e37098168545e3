import { data } from "react-router";
import { describeNotFound, NotFoundScreen } from "./error-page.tsx";

export const meta = () => [{ title: describeNotFound().title }, { name: "robots", content: "noindex" }];

/** Every address without a page gets the status 404. */
export function loader() {
  return data(null, { status: 404 });
}

export default function NotFound() {
  return <NotFoundScreen />;
}
