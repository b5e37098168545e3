import { getFormProps } from "@conform-to/react";
import ArrowLeft from "lucide-react/icons/arrow-left";
import { useCallback, useEffect, useRef, useState } from "react";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { LazyDialog } from "../../ui/dialogs/lazy-dialog.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { t } from "../../ui/texts/texts.ts";
import { useShared } from "../../use-shared.ts";
import {
  AuthFormErrors,
  ConfirmedEmail,
  EmailField,
  NEW_PASSWORD_HINT,
  PasswordField,
} from "../forms/credential-fields.tsx";
import { useAuthForm, validateSignIn, validateSignUp } from "../forms/use-auth-form.ts";
import { useGoogleSignIn } from "../google/google-sign-in.ts";
import { useInsideApp } from "../google/inside-app.tsx";
import { loadTroubleshooter, TroubleshooterButton } from "../troubleshooter/troubleshooter-button.tsx";
import { GoogleButton, NoGoogleNote, TermsNote, WaitingForGoogle } from "./chooser-view.tsx";
import {
  CREDENTIALS,
  type Draft,
  EMPTY_DRAFT,
  ResetView,
  saveDraft,
  TextButton,
  withSignInButton,
} from "./email-views.tsx";

const SIGN_UP = "/auth/sign-up";
const SIGN_IN = "/auth/sign-in";

interface AccountViewProps {
  /** Shows the form for a new password instead. */
  isResetting: boolean;
  onReset: (isResetting: boolean) => void;
}

/**
 * All ways to sign in and to create an account in one view, for a sheet that shows something else above: the same email and
 * password create an account or sign in to it, by the button that is pressed.
 */
export function AccountView({ isResetting, onReset }: AccountViewProps) {
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const [failed, setFailed] = useState(false);
  const [troubleshooter, setTroubleshooter] = useState<"unused" | "open" | "closed">("unused");
  const onFailure = useCallback(() => setFailed(true), []);
  const email = useRef<HTMLElement | null>(null);
  const wasResetting = useRef(isResetting);
  useEffect(() => {
    if (wasResetting.current !== isResetting) email.current?.focus();
    wasResetting.current = isResetting;
  }, [isResetting]);
  const view = { draft, updateDraft: setDraft, onFailure, initialFocusRef: email };
  return (
    <section aria-label={t("Your account")} className="flex flex-col gap-2 sm:gap-3">
      {isResetting ? (
        <>
          <div className="flex items-center">
            <IconButton label={t("Back")} className="-ml-2" onClick={() => onReset(false)}>
              <ArrowLeft className="size-5" aria-hidden="true" />
            </IconButton>
            <h3 className="text-base">{t("Reset password")}</h3>
          </div>
          <ResetView {...view} />
        </>
      ) : (
        <Credentials {...view} onForgotPassword={() => onReset(true)} />
      )}
      {failed ? <TroubleshooterButton onClick={() => setTroubleshooter("open")} /> : null}
      {troubleshooter === "unused" ? null : (
        <LazyDialog
          load={loadTroubleshooter}
          props={{ open: troubleshooter === "open", onClose: () => setTroubleshooter("closed") }}
          open={troubleshooter === "open"}
          onGiveUp={() => setTroubleshooter("unused")}
        />
      )}
    </section>
  );
}

interface CredentialsProps {
  draft: Draft;
  updateDraft: (update: (draft: Draft) => Draft) => void;
  onFailure: () => void;
  initialFocusRef: React.RefObject<HTMLElement | null>;
  onForgotPassword: () => void;
}

function Credentials({ draft, updateDraft, onFailure, initialFocusRef, onForgotPassword }: CredentialsProps) {
  const { store } = useShared();
  /** By the button that was pressed last: what is typed afterwards is checked by the same rules. */
  const validate = useRef(validateSignUp);
  const signIn = useRef<HTMLButtonElement>(null);
  const [isReturning, setReturning] = useState(false);
  const [hasFailed, setFailed] = useState(false);
  /** Enter does what the button that was pressed last does. */
  const repeatOnEnter = (event: React.KeyboardEvent) => {
    const isField = event.target instanceof HTMLInputElement;
    if (event.key !== "Enter" || !isField || validate.current !== validateSignIn) return;
    event.preventDefault();
    signIn.current?.click();
  };
  const { fetcher, form, fields, busy, confirmedEmail } = useAuthForm({
    names: CREDENTIALS,
    defaultValue: { email: draft.email, password: draft.password },
    validate: (values) => validate.current(values),
    onFailure,
  });
  const google = useGoogleSignIn();
  const isInsideApp = useInsideApp();
  const isGooglePossible = google.isConfigured && !isInsideApp;
  useEffect(() => {
    if (google.message !== undefined) onFailure();
  }, [google.message, onFailure]);
  const isSigningIn = busy && fetcher.formAction === SIGN_IN;
  const isRefused = isReturning && fields.password.errors !== undefined;
  // After a wrong password the buyer signs in again, perhaps with another password. That stays while it is typed.
  useEffect(() => {
    if (isRefused) setFailed(true);
  }, [isRefused]);
  const forgotPassword = <TextButton onClick={onForgotPassword}>{t("Forgot password?")}</TextButton>;
  const create = (
    <Button
      key="create"
      type="submit"
      variant={hasFailed ? "plain" : "strong"}
      wide
      className="min-h-12"
      busy={busy && !isSigningIn}
      onClick={() => {
        validate.current = validateSignUp;
        setReturning(false);
        setFailed(false);
      }}
    >
      {t("Create an Account")}
    </Button>
  );
  const others = (
    <div key="others" className="flex flex-wrap gap-2">
      <Button
        ref={signIn}
        type="submit"
        formAction={SIGN_IN}
        variant={hasFailed ? "strong" : "plain"}
        className={BESIDE}
        busy={isSigningIn}
        onClick={() => {
          validate.current = validateSignIn;
          setReturning(true);
        }}
      >
        {t("Sign in with Email")}
      </Button>
      <GoogleButton onClick={google.start} className={BESIDE} />
    </div>
  );
  return (
    <>
      <fetcher.Form
        {...getFormProps(form)}
        method="post"
        action={SIGN_UP}
        onInput={saveDraft(updateDraft, CREDENTIALS)}
        onKeyDown={repeatOnEnter}
        className="flex flex-col gap-2 sm:gap-3"
      >
        <AuthFormErrors errors={form.errors} />
        <ConfirmedEmail email={confirmedEmail} />
        <EmailField
          field={fields.email}
          inputRef={initialFocusRef}
          autoComplete="email"
          // As a press of that button, with what was typed.
          renderError={(error) => withSignInButton(error, () => signIn.current?.click())}
        />
        <PasswordField field={fields.password} autoComplete="current-password" hint={NEW_PASSWORD_HINT} />
        {hasFailed ? <div className="-my-2">{forgotPassword}</div> : null}
        {hasFailed ? [others, create] : [create, others]}
        {isGooglePossible ? null : <NoGoogleNote isConfigured={google.isConfigured} />}
        {google.message === undefined ? null : <Banner tone="error">{google.message}</Banner>}
        {google.waiting ? <WaitingForGoogle onCancel={google.cancel} /> : null}
      </fetcher.Form>
      {hasFailed ? null : <div className="-my-1 flex justify-center">{forgotPassword}</div>}
      <TermsNote pages={store.pages} />
    </>
  );
}

/** Both fit into the row of a phone of 360 px. */
const BESIDE = "flex-1 basis-auto px-2! text-xs";
