import { redirect } from "react-router";
import { signOut } from "#core/accounts/sessions.server.ts";
import { shopContext } from "../../request/request-context.ts";
import { signOutHere } from "../sign-out-here.ts";
import type { Route } from "./+types/sign-out";
import { signedOutHeaders } from "./form-response.server.ts";

/** Ends the session and redirects to the home page. A plain form posts here, so that it works without scripts. */
export async function action({ context }: Route.ActionArgs) {
  const { setCookies } = await signOut(context.get(shopContext));
  return redirect("/", { headers: signedOutHeaders(setCookies) });
}

export function clientAction({ serverAction }: Route.ClientActionArgs) {
  return signOutHere(() => serverAction());
}

/** "Try again" on the error page of a failed sign-out opens this address; it does not sign anybody out. */
export function loader({ context }: Route.LoaderArgs) {
  const { actor } = context.get(shopContext);
  return redirect(actor.kind === "visitor" ? "/" : "/dashboard");
}
