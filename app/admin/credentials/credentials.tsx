import { listCredentials } from "#core/credentials/list-credentials.server.ts";
import { loadForAdmin } from "../lists/load-list.server.ts";
import type { Route } from "./+types/credentials";
import { CredentialsScreen } from "./credentials-screen.tsx";

export function loader(args: Route.LoaderArgs) {
  return loadForAdmin(args, listCredentials);
}

export default function Credentials({ loaderData }: Route.ComponentProps) {
  return loaderData === null ? null : <CredentialsScreen list={loaderData} />;
}
