import type { ReactNode } from "react";
import { Form } from "react-router";
import { type ListedUser, listUsers } from "#core/accounts/manage-users.server.ts";
import { readSessionProfile, type StoredProfile } from "#core/accounts/profile.server.ts";
import type { List } from "#core/lists/paging.ts";
import { formatCount } from "../admin/format-count.ts";
import { ListSection, SearchBox } from "../admin/lists/list-section.tsx";
import { AdminDate } from "../admin/lists/list-table.tsx";
import { useListAddress } from "../admin/lists/use-list-address.ts";
import { PROVIDER_NAMES } from "../admin/users/provider-names.ts";
import { useSignIn } from "../auth/sign-in-provider.tsx";
import { shopContext } from "../request/request-context.ts";
import { SiteFooter } from "../storefront/site-footer.tsx";
import { SiteHeader } from "../storefront/site-header.tsx";
import { DateTime } from "../time/date-time.tsx";
import { ActiveBadge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
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

const COLUMNS: readonly Column<ListedUser>[] = [
  {
    id: "email",
    header: "Email",
    cardLabel: null,
    cell: ({ email }) => <span className="break-all font-medium">{email}</span>,
  },
  { id: "provider", header: "Provider", cell: ({ provider }) => PROVIDER_NAMES[provider] },
  { id: "createdAt", header: "Signup Date", cell: ({ createdAt }) => <AdminDate date={createdAt} /> },
];

/** For admins: every account, a page at a time, and how many there are. */
function AllUsers({ list }: { list: List<ListedUser> }) {
  const { total, totalIsExact } = list;
  const isSearch = useListAddress().get("q") !== "";
  return (
    <section aria-labelledby="all-users" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 id="all-users" className="text-lg">
          All users
        </h2>
        <p className="text-muted text-sm tabular-nums" role="status">
          {`${isSearch ? "Found" : "Total"}: ${formatCount(total)}${totalIsExact ? "" : "+"}`}
        </p>
      </div>
      <ListSection
        list={list}
        controls={<SearchBox placeholder="Search users by email or name" />}
        empty={{ title: "No users found", text: "Try another search." }}
      >
        <DataTable label="All users" columns={COLUMNS} rows={list.rows} rowId={({ id }) => id} />
      </ListSection>
    </section>
  );
}

/** Everything that is stored in the profile of the signed-in account. */
function OwnProfile({ profile }: { profile: StoredProfile }) {
  const { id, email, name, provider, role, isActive, createdAt, lastLogin } = profile;
  return (
    <section aria-labelledby="own-profile" className="flex flex-col gap-3">
      <h2 id="own-profile" className="text-lg">
        Your profile
      </h2>
      <Card className="px-5 py-2">
        <dl className="divide-y divide-line text-sm">
          <Row name="User ID">
            <code translate="no" className="break-all text-xs">
              {id}
            </code>
          </Row>
          <Row name="Email">
            <span className="break-all">{email}</span>
          </Row>
          <Row name="Display Name">{name || <span className="text-muted">Not set</span>}</Row>
          <Row name="Provider">{PROVIDER_NAMES[provider]}</Row>
          <Row name="Signup Date">
            <DateTime date={createdAt} />
          </Row>
          <Row name="Last Login">
            {lastLogin === null ? <span className="text-muted">Never</span> : <DateTime date={lastLogin} />}
          </Row>
          <Row name="Status">
            <ActiveBadge isActive={isActive} />
          </Row>
          <Row name="Role">{role === "admin" ? "Admin" : "Regular User"}</Row>
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
