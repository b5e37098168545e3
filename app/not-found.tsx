import { data } from "react-router";
import { NotFoundScreen } from "./not-found-screen.tsx";

/** The screen has the title. */
export const meta = () => [{ name: "robots", content: "noindex" }];

/** Every address without a page gets the status 404. */
export function loader() {
  return data(null, { status: 404 });
}

export default function NotFound() {
  return <NotFoundScreen />;
}
