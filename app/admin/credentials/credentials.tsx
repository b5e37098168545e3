import { z } from "zod";
import {
  createCredential,
  deleteCredential,
  ensureCredential,
  listCredentials,
  revealCredential,
  updateCredential,
} from "#core/credentials/manage-credentials.server.ts";
import { adminAction } from "../forms/admin-action.server.ts";
import { callAdminAction } from "../forms/admin-result.ts";
import { ForAdmin } from "../lists/for-admin.tsx";
import { ListFailure } from "../lists/list-failure.tsx";
import { loadForAdmin } from "../lists/load-list.server.ts";
import type { Route } from "./+types/credentials";
import { CredentialsScreen } from "./credentials-screen.tsx";

export function loader(args: Route.LoaderArgs) {
  return loadForAdmin(args, listCredentials);
}

const ensuredSchema = z.object({ isNew: z.boolean() });

export const action = adminAction({
  create: {
    run: createCredential,
    done: "Credential created successfully!",
    failed: "Failed to create credential",
  },
  ensure: {
    run: ensureCredential,
    done: (value) =>
      ensuredSchema.parse(value).isNew
        ? "Credential created successfully!"
        : "This credential already exists.",
    failed: "Failed to create credential",
  },
  update: {
    run: updateCredential,
    done: "Credential updated successfully!",
    failed: "Failed to update credential",
  },
  delete: {
    run: deleteCredential,
    done: "Credential deleted successfully!",
    failed: "Failed to delete credential",
  },
  reveal: { run: revealCredential, done: null, failed: "Failed to show the password" },
});

export const clientAction = callAdminAction;

export default function Credentials({ loaderData }: Route.ComponentProps) {
  return <ForAdmin data={loaderData}>{(list) => <CredentialsScreen list={list} />}</ForAdmin>;
}

export function ErrorBoundary() {
  return <ListFailure message="Failed to fetch credentials" />;
}
