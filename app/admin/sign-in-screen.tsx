import { Form, useNavigation } from "react-router";
import { AuthFormErrors } from "../auth/forms/credential-fields.tsx";
import { SmallPage } from "../auth/small-page.tsx";
import { Button, LinkButton } from "../ui/button.tsx";
import { PasswordInput } from "../ui/forms/password-input.tsx";
import { TextField } from "../ui/forms/text-field.tsx";

/** The sign-in form at /admin, for everybody who is not signed in as an admin. */
export function SignInScreen({ error }: { error: string | undefined }) {
  const busy = useNavigation().formData?.get("intent") === "sign-in";
  return (
    <SmallPage title="Admin Panel">
      <Form method="post" action="/admin" noValidate className="flex flex-col gap-4">
        <input type="hidden" name="intent" value="sign-in" />
        <AuthFormErrors errors={busy || error === undefined ? undefined : [error]} />
        <TextField
          label="Email"
          name="email"
          type="email"
          autoComplete="username"
          autoCapitalize="none"
          required
        />
        <PasswordInput label="Password" name="password" autoComplete="current-password" required />
        <Button type="submit" variant="strong" wide busy={busy}>
          Sign In
        </Button>
      </Form>
      <LinkButton to="/" variant="quiet" wide>
        Go to the Shop
      </LinkButton>
    </SmallPage>
  );
}
