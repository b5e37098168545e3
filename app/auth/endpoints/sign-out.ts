import { redirect } from "react-router";
import { signOut } from "#core/accounts/sign-out.server.ts";
import { shopContext } from "../../middleware/request-context.ts";
import type { Route } from "./+types/sign-out";
import { cookieHeaders } from "./form-response.server.ts";

/** Ends the session and leads to the root of the site. A plain form posts here; no scripts are needed. */
export async function action({ context }: Route.ActionArgs) {
  const { setCookies } = await signOut(context.get(shopContext));
  return redirect("/", { headers: cookieHeaders(setCookies) });
}

/** Where "Try again" leads after a sign-out that failed: whoever is still signed in has to see that. */
export function loader({ context }: Route.LoaderArgs) {
  const { actor } = context.get(shopContext);
  return redirect(actor.kind === "visitor" ? "/" : "/dashboard");
}
