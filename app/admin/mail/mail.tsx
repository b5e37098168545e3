import { listMail, sendMailAgain } from "#core/mail/manage-outbox.server.ts";
import { adminAction } from "../forms/admin-action.server.ts";
import { callAdminAction } from "../forms/admin-result.ts";
import { ForAdmin } from "../lists/for-admin.tsx";
import { ListFailure } from "../lists/list-failure.tsx";
import { loadForAdmin } from "../lists/load-list.server.ts";
import type { Route } from "./+types/mail";
import { MailScreen } from "./mail-screen.tsx";

export function loader(args: Route.LoaderArgs) {
  return loadForAdmin(args, async (ctx, input) => ({
    list: await listMail(ctx, input),
    hasMailServer: ctx.ports.mailTransport !== null,
  }));
}

export const action = adminAction({
  "send-again": {
    run: sendMailAgain,
    done: "The email is back in the queue.",
    failed: "Failed to send the email again",
    refusals: { "changed-meanwhile": "This email can’t be sent again. Please reload the page." },
  },
});

export const clientAction = callAdminAction;

export function ErrorBoundary() {
  return <ListFailure message="Failed to fetch emails" />;
}

export default function Mail({ loaderData }: Route.ComponentProps) {
  return <ForAdmin data={loaderData}>{(data) => <MailScreen {...data} />}</ForAdmin>;
}
