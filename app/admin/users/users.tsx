import { deleteUser } from "#core/accounts/delete-user.server.ts";
import { listUsers } from "#core/accounts/list-users.server.ts";
import { setUserActive } from "#core/accounts/set-user-active.server.ts";
import { adminAction } from "../forms/admin-action.server.ts";
import { loadForAdmin } from "../lists/load-list.server.ts";
import type { Route } from "./+types/users";
import { UsersScreen } from "./users-screen.tsx";

export function loader(args: Route.LoaderArgs) {
  return loadForAdmin(args, listUsers);
}

export const action = adminAction({
  "set-active": { run: setUserActive, done: null, failed: "Failed to update user" },
  delete: { run: deleteUser, done: "User deleted.", failed: "Failed to delete user" },
});

export default function Users({ loaderData }: Route.ComponentProps) {
  return loaderData === null ? null : <UsersScreen list={loaderData} />;
}
