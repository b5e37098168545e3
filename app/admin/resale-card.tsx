import { Form, useNavigation } from "react-router";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";

/** Asks the admin to acknowledge the resale rights. Shown until an admin has confirmed. */
export function ResaleCard() {
  const busy = useNavigation().formData?.get("intent") === "acknowledge-resale";
  return (
    <Card className="flex flex-col gap-4 p-5 md:flex-row md:items-center md:justify-between md:gap-8">
      <div className="max-w-prose">
        <h2 className="text-base">May this shop resell what it lists?</h2>
        <p className="mt-1 text-muted">
          Many services allow sharing or resale only under their own terms. Please check them for every tool
          on your list, then confirm once. Who confirmed, and when, is written to the audit log.
        </p>
      </div>
      <Form method="post" action="/admin" preventScrollReset className="shrink-0">
        <input type="hidden" name="intent" value="acknowledge-resale" />
        <Button type="submit" busy={busy} className="w-full md:w-auto">
          I may resell what I list
        </Button>
      </Form>
    </Card>
  );
}
