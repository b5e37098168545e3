import type { MailKind } from "#core/mail/mail-templates.ts";
import { Button } from "../../ui/button.tsx";
import { useOpened } from "../forms/use-opened.ts";
import { MailDialog } from "./mail-dialog.tsx";

/** Every kind of mail that a buyer gets, in the order in which the admin sees them. */
const LABELS: Record<Exclude<MailKind, "test-mail">, string> = {
  "purchase-receipt": "Receipt",
  "pass-assigned": "Assigned pass",
  "giveaway-won": "Giveaway won",
  "payment-refunded": "Refund started",
  "payment-not-taken": "Payment not taken",
  "password-reset": "Password reset",
  "password-changed": "Password changed",
  "account-taken-over": "Account taken over",
  "google-linked": "Google connected",
  "code-reported": "Reported code (to you)",
  "credential-missing": "Missing credential (to you)",
  "codes-used-up": "No codes left (to you)",
};
const EXAMPLES = Object.entries(LABELS).map(([kind, label]) => ({ kind, label }));

/** Each mail of the shop with details that are made up, so that the owner sees what buyers get. */
export function ExampleMails() {
  const example = useOpened<(typeof EXAMPLES)[number]>();
  return (
    <section aria-labelledby="mail-previews" className="flex flex-col gap-3">
      <div>
        <h2 id="mail-previews" className="text-lg">
          Previews
        </h2>
        <p className="mt-1 text-muted text-sm">What you and your buyers receive, with made-up details.</p>
      </div>
      <div className="flex flex-wrap gap-2">
        {EXAMPLES.map((one) => (
          <Button key={one.kind} size="small" onClick={() => example.open(one)}>
            {one.label}
          </Button>
        ))}
      </div>
      {example.value === null ? null : (
        <MailDialog
          open={example.isOpen}
          onClose={example.close}
          href={`/admin/mail/examples/${example.value.kind}`}
          title={example.value.label}
          description="To buyer@example.com"
        />
      )}
    </section>
  );
}
