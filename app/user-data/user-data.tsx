import { Form } from "react-router";
import { listUsers } from "#core/accounts/administration/list-users.server.ts";
import { readSessionProfile } from "#core/accounts/profile/read-session-profile.server.ts";
import { useSignIn } from "../auth/sign-in-provider.tsx";
import { shopContext } from "../middleware/request-context.ts";
import { SiteFooter } from "../storefront/site-footer.tsx";
import { SiteHeader } from "../storefront/site-header.tsx";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { unlistedPageMeta } from "../unlisted-page-meta.ts";
import type { Route } from "./+types/user-data";
import { AllUsers } from "./all-users.tsx";
import { OwnProfile } from "./own-profile.tsx";

/** Parameters of an address that shows the list. The button adds the first; a search without scripts sends `q` alone. */
const LIST_PARAMETERS = ["users", "q", "page"];

export async function loader({ request, context }: Route.LoaderArgs) {
  const ctx = context.get(shopContext);
  const own = await readSessionProfile(ctx);
  const params = new URL(request.url).searchParams;
  const showsUsers = ctx.actor.kind === "admin" && LIST_PARAMETERS.some((name) => params.has(name));
  return { own, users: showsUsers ? await listUsers(ctx, Object.fromEntries(params)) : null };
}

export const meta: Route.MetaFunction = ({ matches }) => unlistedPageMeta(matches[1].loaderData, "User data");

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
          <h1 className="text-xl">User data</h1>
          <p className="max-w-prose text-pretty text-muted">
            What this shop has stored about the account that is signed in here.
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
      title="Please sign in to view user data."
      action={
        <Button variant="strong" onClick={() => openSignIn()}>
          Get Started
        </Button>
      }
    />
  );
}

function MissingProfile() {
  return (
    <EmptyState
      title="No profile data found. This might indicate an issue with data storage."
      action={
        <Form method="post" action="/auth/sign-out">
          <Button type="submit">Sign Out</Button>
        </Form>
      }
    >
      Sign out and sign in again. If this keeps happening, please contact support.
    </EmptyState>
  );
}

function LoadAllUsers() {
  return (
    <Card className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 p-5">
      <p className="text-muted text-sm">You are an admin, so you can see the data of everybody.</p>
      <Form method="get" preventScrollReset>
        <input type="hidden" name="users" value="1" />
        <Button type="submit">Load All Users</Button>
      </Form>
    </Card>
  );
}
