import { Button } from "../../ui/button.tsx";
import { useOpened } from "../forms/use-opened.ts";
import { MailDialog } from "./mail-dialog.tsx";

/** The kinds of mail as their routes name them. */
const EXAMPLES = [
  { kind: "purchase-receipt", label: "Receipt" },
  { kind: "pass-assigned", label: "Assigned pass" },
  { kind: "giveaway-won", label: "Giveaway won" },
  { kind: "payment-refunded", label: "Refund started" },
  { kind: "payment-not-taken", label: "Payment not taken" },
  { kind: "password-reset", label: "Password reset" },
  { kind: "account-taken-over", label: "Account taken over" },
  { kind: "google-linked", label: "Google connected" },
] as const;

/** Each mail of the shop with details that are made up, so that the owner sees what buyers get. */
export function ExampleMails() {
  const example = useOpened<(typeof EXAMPLES)[number]>();
  return (
    <section aria-labelledby="mail-previews" className="flex flex-col gap-3">
      <div>
        <h2 id="mail-previews" className="text-lg">
          Previews
        </h2>
        <p className="mt-1 text-muted text-sm">What your buyers receive, with made-up details.</p>
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
