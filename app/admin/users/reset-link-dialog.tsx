import { useState } from "react";
import { z } from "zod";
import type { ListedUser } from "#core/accounts/manage-users.server.ts";
import { Button } from "../../ui/button.tsx";
import { LiveRegion } from "../../ui/text.tsx";
import { useCopy } from "../../ui/use-copy.ts";
import { AdminDialog } from "../dialogs/admin-dialog.tsx";
import { useAdminAction } from "../forms/admin-action.tsx";
import { ActionError } from "../forms/admin-form.tsx";

interface ResetLinkDialogProps {
  user: ListedUser;
  open: boolean;
  onClose: () => void;
}

const resetLink = z.object({ resetUrl: z.string(), validMinutes: z.number() });
type Link = z.infer<typeof resetLink>;

/** Makes a link for a user who has forgotten the password, in a shop that sends no mail. The link is shown once. */
export function ResetLinkDialog({ user, open, onClose }: ResetLinkDialogProps) {
  return (
    <AdminDialog open={open} onClose={onClose} title="Password reset link" description={user.email}>
      <LinkMaker key={`${user.id} ${open}`} userId={user.id} onClose={onClose} />
    </AdminDialog>
  );
}

function LinkMaker({ userId, onClose }: { userId: string; onClose: () => void }) {
  const [link, setLink] = useState<Link | null>(null);
  const action = useAdminAction({
    onDone: (value) => setLink(resetLink.parse(value)),
    showsErrors: false,
  });
  if (link !== null) return <MadeLink link={link} onClose={onClose} />;
  return (
    <div className="flex flex-col gap-4 text-sm">
      <p>
        Your shop has no mail server, so it can’t send the link itself. Create a link here and send it to the
        buyer.
      </p>
      <p className="text-muted">
        Whoever has the link can sign in to this account. Make sure that you are talking to the buyer: ask for
        something that only they know, such as the last purchase.
      </p>
      <ActionError result={action.result} />
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          variant="strong"
          busy={action.busy}
          onClick={() => action.run("create-reset-link", { userId })}
        >
          Create Link
        </Button>
      </div>
    </div>
  );
}

function MadeLink({ link, onClose }: { link: Link; onClose: () => void }) {
  const { state, copy } = useCopy(link.resetUrl);
  return (
    <div className="flex flex-col gap-4 text-sm">
      <p>{`Send this link to the buyer. It works once, within ${link.validMinutes} minutes, and is not shown again.`}</p>
      <code className="wrap-anywhere select-all rounded-control bg-ink/5 p-3 font-mono text-xs leading-5">
        {link.resetUrl}
      </code>
      {state === "refused" ? (
        <p className="text-muted">Your browser doesn’t allow copying. Please select and copy the link.</p>
      ) : null}
      <LiveRegion message={state === "copied" ? "The link was copied" : ""} />
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Done</Button>
        <Button variant="strong" onClick={() => void copy()}>
          {state === "copied" ? "Copied!" : "Copy Link"}
        </Button>
      </div>
    </div>
  );
}
