import { data } from "react-router";

/** Any address that is no page: answered as the error page, with status 404. */
export function loader(): never {
  throw data("Not found", { status: 404 });
}

export default function NotFound() {
  return null;
}
