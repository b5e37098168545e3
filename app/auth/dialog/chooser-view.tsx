import Mail from "lucide-react/icons/mail";
import { useFetcher } from "react-router";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import type { AuthFormResult } from "../forms/auth-form-result.ts";
import type { ViewProps } from "./view-props.ts";

/** The first view: the ways to sign in and to create an account. */
export function ChooserView({
  dispatch,
  initialFocusRef,
  toolName,
}: Pick<ViewProps, "dispatch" | "initialFocusRef"> & { toolName: string | null }) {
  const google = useFetcher<AuthFormResult>();
  const busy = google.state !== "idle";
  const refusal = !busy && google.data?.ok === false ? google.data.message : undefined;
  return (
    <div className="flex flex-col gap-3">
      {toolName === null ? null : (
        <p className="-mt-1 text-muted">
          Sign in, and {toolName} opens: you see price and duration before you pay.
        </p>
      )}
      {refusal === undefined ? null : <Banner tone="error">{refusal}</Banner>}
      <google.Form method="post" action="/auth/google">
        <Button
          type="submit"
          wide
          busy={busy}
          ref={(element) => {
            initialFocusRef.current = element;
          }}
        >
          Continue with Google
        </Button>
      </google.Form>
      <Button variant="strong" wide onClick={() => dispatch({ type: "choose-email" })}>
        <Mail className="size-4" aria-hidden="true" />
        Sign in with Email
      </Button>
      <Button variant="quiet" wide onClick={() => dispatch({ type: "choose-create" })}>
        Create an Account
      </Button>
      <p className="mt-1 text-center text-muted text-xs">
        By continuing, you accept our terms: price and duration of a pass are shown before you pay.
      </p>
    </div>
  );
}
