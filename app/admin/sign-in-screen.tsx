import type { RefObject } from "react";
import { Form, useNavigation } from "react-router";
import { Logo } from "../storefront/logo.tsx";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import { TextField } from "../ui/text-field.tsx";
import { useShared } from "../use-shared.ts";

interface SignInScreenProps {
  heading: RefObject<HTMLHeadingElement | null>;
  error: string | undefined;
}

/** Stands where the dashboard would be, for everybody who is not signed in as an admin. */
export function SignInScreen({ heading, error }: SignInScreenProps) {
  const { store } = useShared();
  const busy = useNavigation().formData?.get("intent") === "sign-in";
  return (
    <div className="mx-auto flex min-h-[85dvh] max-w-[24rem] flex-col justify-center gap-6 px-4 py-10">
      <header>
        <Logo name={store.name} />
      </header>
      <main id="content" tabIndex={-1} className="flex flex-col gap-3 outline-none">
        <Card className="px-5 py-6 sm:px-6">
          <h1 ref={heading} tabIndex={-1} className="text-xl outline-none">
            Admin Panel
          </h1>
          <p className="mt-1 text-muted">Sign in to manage {store.name}.</p>
          <Form method="post" action="/admin" className="mt-5 flex flex-col gap-4">
            <input type="hidden" name="intent" value="sign-in" />
            <TextField label="Email" name="email" type="email" autoComplete="username" required />
            <TextField
              label="Password"
              name="password"
              type="password"
              autoComplete="current-password"
              required
            />
            <p role="alert" className="font-medium text-red empty:hidden">
              {busy ? null : error}
            </p>
            <Button type="submit" variant="strong" wide busy={busy}>
              Sign In
            </Button>
          </Form>
        </Card>
        <LinkButton to="/" variant="quiet">
          Go to the shop
        </LinkButton>
      </main>
    </div>
  );
}
