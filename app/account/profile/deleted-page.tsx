import { redirect } from "react-router";
import { hasDeletedAccount } from "#core/accounts/sessions.server.ts";
import { SmallPage } from "../../auth/small-page.tsx";
import { shopContext } from "../../middleware/request-context.ts";
import { LinkButton } from "../../ui/button.tsx";
import { unlistedPageMeta } from "../../unlisted-page-meta.ts";
import type { Route } from "./+types/deleted-page";

const TITLE = "Account deleted";

/** Only the browser in which the account was last used sees it: no link can tell somebody else that an account is gone. */
export async function loader({ context }: Route.LoaderArgs) {
  const ctx = context.get(shopContext);
  if (ctx.actor.kind !== "visitor") throw redirect("/account");
  if (!(await hasDeletedAccount(ctx))) throw redirect("/");
  return null;
}

export const headers: Route.HeadersFunction = () => ({ "Cache-Control": "private, no-store" });

export const meta: Route.MetaFunction = ({ matches }) => unlistedPageMeta(matches[1].loaderData, TITLE);

export default function DeletedPage() {
  return (
    <SmallPage title={TITLE}>
      <p>
        Your account has been deleted. Your passes have ended, and your data has been removed. Thank you for
        having been with us.
      </p>
      <p className="text-muted">
        Would you like to come back one day? You can sign up again at any time and start fresh.
      </p>
      <LinkButton to="/" variant="strong" wide>
        See all tools
      </LinkButton>
    </SmallPage>
  );
}
