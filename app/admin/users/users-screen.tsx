import type { ListedUser } from "#core/accounts/list-users.server.ts";
import type { List } from "#core/paging.ts";
import { Badge } from "../../ui/badge.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { AdminDate } from "../lists/admin-date.tsx";
import { ListFilter, SearchBox } from "../lists/list-controls.tsx";
import { ListSection } from "../lists/list-section.tsx";
import { sortable } from "../lists/sortable.tsx";
import { type ListAddress, useListAddress } from "../lists/use-list-address.ts";

const PROVIDERS = [
  { value: "", label: "All Providers" },
  { value: "email", label: "Email" },
  { value: "google", label: "Google" },
];

const PROVIDER_NAMES = { email: "Email", google: "Google", admin: "Admin" };

/** The tab 'Users Management'. */
export function UsersScreen({ list }: { list: List<ListedUser> }) {
  const address = useListAddress();
  return (
    <ListSection
      list={list}
      empty={{ title: "No users found", text: "Try adjusting your search or filter criteria." }}
      controls={
        <>
          <SearchBox placeholder="Search users by email or name" />
          <ListFilter name="provider" label="Provider" options={PROVIDERS} />
        </>
      }
    >
      <DataTable label="Users" columns={columnsOf(address)} rows={list.rows} rowId={({ id }) => id} />
    </ListSection>
  );
}

function columnsOf(address: ListAddress): Column<ListedUser>[] {
  return [
    { id: "user", ...sortable(address, { sort: "email", label: "User" }), cardLabel: null, cell: UserCell },
    { id: "provider", header: "Provider", cell: ({ provider }) => PROVIDER_NAMES[provider] },
    {
      id: "createdAt",
      ...sortable(address, { sort: "createdAt", label: "Signup Date", isDefault: true }),
      cell: ({ createdAt }) => <AdminDate date={createdAt} />,
    },
    {
      id: "lastLogin",
      ...sortable(address, { sort: "lastLogin", label: "Last Login" }),
      cell: ({ lastLogin }) => <AdminDate date={lastLogin} missing="Never" />,
    },
    {
      id: "status",
      header: "Status",
      cell: ({ isActive }) => (
        <Badge tone={isActive ? "green" : "red"}>{isActive ? "Active" : "Inactive"}</Badge>
      ),
    },
  ];
}

function UserCell({ name, email }: ListedUser) {
  const shown = name || "No name";
  return (
    <div className="flex min-w-0 items-center gap-3">
      <span
        aria-hidden="true"
        className="inline-flex size-9 shrink-0 items-center justify-center rounded-full bg-ink/8 font-semibold"
      >
        {(name || email).charAt(0).toUpperCase()}
      </span>
      <div className="min-w-0">
        <p className={name ? "break-words font-medium" : "text-muted"}>{shown}</p>
        <p className="break-all text-muted text-xs">{email}</p>
      </div>
    </div>
  );
}
