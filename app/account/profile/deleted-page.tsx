import { redirect } from "react-router";
import { hasDeletedAccount } from "#core/accounts/sessions.server.ts";
import { SmallPage } from "../../auth/small-page.tsx";
import { shopContext } from "../../request/request-context.ts";
import { LinkButton } from "../../ui/button.tsx";
import { t } from "../../ui/texts/texts.ts";
import { unlistedPageMeta } from "../../unlisted-page-meta.ts";
import type { Route } from "./+types/deleted-page";

const TITLE = "Account deleted";

/** Only a browser in which the account signed in last sees the page: no link can make it appear for somebody else. */
export async function loader({ context }: Route.LoaderArgs) {
  const ctx = context.get(shopContext);
  if (ctx.actor.kind !== "visitor") throw redirect("/account");
  if (!(await hasDeletedAccount(ctx))) throw redirect("/");
  return null;
}

export const headers: Route.HeadersFunction = () => ({ "Cache-Control": "private, no-store" });

export const meta: Route.MetaFunction = ({ matches }) => unlistedPageMeta(matches[1].loaderData, t(TITLE));

export default function DeletedPage() {
  return (
    <SmallPage title={t(TITLE)}>
      <p>
        {t(
          "Your account has been deleted. Your passes have ended, and your data has been removed. Thank you for being with us.",
        )}
      </p>
      <p className="text-muted">
        {t("If you’d like to come back one day, you can sign up again at any time.")}
      </p>
      <LinkButton to="/" variant="strong" wide>
        {t("See all tools")}
      </LinkButton>
    </SmallPage>
  );
}
