import type { MailPreview } from "#core/mail/manage-outbox.server.ts";
import { AdminDialog } from "../dialogs/admin-dialog.tsx";
import { DialogContent } from "../dialogs/dialog-content.tsx";

interface MailDialogProps {
  open: boolean;
  onClose: () => void;
  /** The route that loads the text. */
  href: string;
  title: string;
  description: string;
}

/** Shows a mail as its recipient sees it, and its plain text. */
export function MailDialog({ open, onClose, href, title, description }: MailDialogProps) {
  return (
    <AdminDialog
      open={open}
      onClose={onClose}
      size="large"
      title={<span className="wrap-anywhere">{title}</span>}
      description={<span className="break-all">{description}</span>}
    >
      <DialogContent<MailPreview> key={href} href={href} open={open} gone="This email no longer exists.">
        {(preview) => <Preview preview={preview} />}
      </DialogContent>
    </AdminDialog>
  );
}

function Preview({ preview }: { preview: MailPreview }) {
  if (preview.kind === "secret") {
    return <p className="text-muted">This email contains a link that only its recipient may see.</p>;
  }
  if (preview.kind === "unavailable") {
    return <p className="text-muted">This email can’t be shown. The shop’s log says why.</p>;
  }
  return (
    <div className="flex flex-col gap-4">
      <iframe
        title="Email"
        // Without any permission: no script runs, no form is sent, and no link opens.
        sandbox=""
        srcDoc={withoutRequests(preview.html)}
        className="h-[min(32rem,60dvh)] w-full rounded-control border border-line bg-white"
      />
      <details>
        <summary className="min-h-11 rounded-sm py-2.5 font-medium text-sm">Plain text</summary>
        <pre className="mt-1 whitespace-pre-wrap font-sans text-sm wrap-anywhere">{preview.text}</pre>
      </details>
    </div>
  );
}

/** The frame has the policy of the page and this stricter one, so that the text of a mail can load nothing. */
const POLICY = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`;

/** The page's policy refuses style sheets, such as that for dark themes; the inline styles are enough. */
function withoutRequests(html: string): string {
  const unstyled = html.replace(/<style\b[^>]*>[\s\S]*?<\/style>/gi, "");
  return /<head\b[^>]*>/i.test(unstyled)
    ? unstyled.replace(/<head\b[^>]*>/i, (head) => head + POLICY)
    : POLICY + unstyled;
}
