import type { ReactNode } from "react";
import { Form } from "react-router";
import { listUsers } from "#core/accounts/manage-users.server.ts";
import { readSessionProfile, type StoredProfile } from "#core/accounts/profile.server.ts";
import { AllUsers, LoadAllUsers } from "../admin/users/all-users.tsx";
import { PROVIDER_NAMES } from "../admin/users/provider-names.ts";
import { useSignIn } from "../auth/sign-in-provider.tsx";
import { shopContext } from "../request/request-context.ts";
import { SiteFooter } from "../storefront/site-footer.tsx";
import { SiteHeader } from "../storefront/site-header.tsx";
import { DateTime } from "../time/date-time.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { t, translate } from "../ui/texts/texts.ts";
import { unlistedPageMeta } from "../unlisted-page-meta.ts";
import type { Route } from "./+types/user-data";

/** Parameters of an address that shows the list. The button adds the first; a search without scripts sends `q` alone. */
const LIST_PARAMETERS = ["users", "q", "page"];

export async function loader({ request, context }: Route.LoaderArgs) {
  const ctx = context.get(shopContext);
  const own = await readSessionProfile(ctx);
  const params = new URL(request.url).searchParams;
  const showsUsers = ctx.actor.kind === "admin" && LIST_PARAMETERS.some((name) => params.has(name));
  return { own, users: showsUsers ? await listUsers(ctx, Object.fromEntries(params)) : null };
}

export const meta: Route.MetaFunction = ({ matches }) =>
  unlistedPageMeta(matches[1].loaderData, t("User data"));

export const headers: Route.HeadersFunction = () => ({
  "Cache-Control": "private, no-store",
  "X-Robots-Tag": "noindex",
});

export default function UserData({ loaderData: { own, users } }: Route.ComponentProps) {
  const isAdmin = own.state === "found" && own.profile.role === "admin";
  return (
    <>
      <SiteHeader />
      <main
        id="content"
        tabIndex={-1}
        className="mx-auto flex w-full max-w-[46rem] flex-col gap-8 px-4 py-8 outline-none sm:px-6 sm:py-12"
      >
        <div className="flex flex-col gap-2">
          <h1 className="text-xl">{t("User data")}</h1>
          <p className="max-w-prose text-pretty text-muted">
            {t("What this shop has stored about the account that is signed in here.")}
          </p>
        </div>
        {own.state === "signed-out" ? <SignedOut /> : null}
        {own.state === "missing" ? <MissingProfile /> : null}
        {own.state === "found" ? <OwnProfile profile={own.profile} /> : null}
        {isAdmin && users === null ? <LoadAllUsers /> : null}
        {users === null ? null : <AllUsers list={users} />}
      </main>
      <SiteFooter />
    </>
  );
}

function SignedOut() {
  const { openSignIn } = useSignIn();
  return (
    <EmptyState
      title={t("Please sign in to view user data.")}
      action={
        <Button variant="strong" onClick={() => openSignIn()}>
          {t("Get Started")}
        </Button>
      }
    />
  );
}

function MissingProfile() {
  return (
    <EmptyState
      title={t("No profile data found. This might indicate an issue with data storage.")}
      action={
        <Form method="post" action="/auth/sign-out">
          <Button type="submit">{t("Sign Out")}</Button>
        </Form>
      }
    >
      {t("Sign out and sign in again. If this keeps happening, please contact support.")}
    </EmptyState>
  );
}

/** Everything that is stored in the profile of the signed-in account. */
function OwnProfile({ profile }: { profile: StoredProfile }) {
  const { id, email, name, provider, role, isActive, createdAt, lastLogin } = profile;
  return (
    <section aria-labelledby="own-profile" className="flex flex-col gap-3">
      <h2 id="own-profile" className="text-lg">
        {t("Your profile")}
      </h2>
      <Card className="px-5 py-2">
        <dl className="divide-y divide-line text-sm">
          <Row name={t("User ID")}>
            <code translate="no" className="break-all text-xs">
              {id}
            </code>
          </Row>
          <Row name={t("Email")}>
            <span className="break-all">{email}</span>
          </Row>
          <Row name={t("Display Name")}>{name || <span className="text-muted">{t("Not set")}</span>}</Row>
          <Row name={t("Provider")}>{translate(PROVIDER_NAMES[provider])}</Row>
          <Row name={t("Signup Date")}>
            <DateTime date={createdAt} />
          </Row>
          <Row name={t("Last Login")}>
            {lastLogin === null ? (
              <span className="text-muted">{t("Never")}</span>
            ) : (
              <DateTime date={lastLogin} />
            )}
          </Row>
          <Row name={t("Status")}>
            <Badge tone={isActive ? "green" : "red"}>{isActive ? t("Active") : t("Inactive")}</Badge>
          </Row>
          <Row name={t("Role")}>{role === "admin" ? t("Admin") : t("Regular User")}</Row>
        </dl>
      </Card>
    </section>
  );
}

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid grid-cols-[7.5rem_minmax(0,1fr)] items-baseline gap-x-4 py-2.5 sm:grid-cols-[9rem_minmax(0,1fr)]">
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </div>
  );
}
