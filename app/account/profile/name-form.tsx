import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/forms/text-field.tsx";
import { AccountForm, FormOutcome, useIsSending } from "./account-form.tsx";
import type { AccountResult } from "./account-result.ts";

export function NameForm({ name, result }: { name: string; result: AccountResult | undefined }) {
  const busy = useIsSending("name");
  return (
    <AccountForm intent="name" className="flex max-w-96 flex-col gap-4">
      <FormOutcome result={result} />
      <TextField
        // A saved name may differ from the typed one in its spaces.
        key={name}
        id="display-name"
        name="name"
        label="Your name"
        autoComplete="name"
        defaultValue={name}
        errors={result?.fields?.name}
        required
      />
      <Button type="submit" busy={busy} className="self-start">
        Save Name
      </Button>
    </AccountForm>
  );
}
