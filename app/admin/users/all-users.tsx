import { Form } from "react-router";
import type { ListedUser } from "#core/accounts/manage-users.server.ts";
import type { List } from "#core/lists/paging.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { formatCount } from "../format-count.ts";
import { ListSection, SearchBox } from "../lists/list-section.tsx";
import { AdminDate } from "../lists/list-table.tsx";
import { useListAddress } from "../lists/use-list-address.ts";
import { PROVIDER_NAMES } from "./provider-names.ts";

/** The button that shows the list of all accounts on the page of user data. */
export function LoadAllUsers() {
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
    phone: "first",
    cell: ({ email }) => <span className="break-all font-medium">{email}</span>,
  },
  { id: "provider", header: "Provider", phone: "second", cell: ({ provider }) => PROVIDER_NAMES[provider] },
  {
    id: "createdAt",
    header: "Signup Date",
    phone: "second-end",
    cell: ({ createdAt }) => <AdminDate date={createdAt} />,
  },
];

/** For admins: every account, a page at a time, and how many there are. */
export function AllUsers({ list }: { list: List<ListedUser> }) {
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
        search={<SearchBox placeholder="Search users by email or name" />}
        empty={{ title: "No users found", text: "Try another search." }}
      >
        <DataTable label="All users" columns={COLUMNS} rows={list.rows} rowId={({ id }) => id} />
      </ListSection>
    </section>
  );
}
