import { getFormProps } from "@conform-to/react";
import ArrowLeft from "lucide-react/icons/arrow-left";
import { type RefObject, useCallback, useEffect, useId, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { LazyDialog } from "../../ui/dialogs/lazy-dialog.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { type Elements, t } from "../../ui/texts/texts.ts";
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
import { InsideAppNote, useInsideApp } from "../google/inside-app.tsx";
import { loadTroubleshooter, TroubleshooterButton } from "../troubleshooter/troubleshooter-button.tsx";
import { GoogleButton, TermsNote, WaitingForGoogle } from "./chooser-view.tsx";
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
  /** Whether the visitor had signed in before. */
  startsReturning: boolean;
  /** Renders the end of the form around its button. */
  renderEnd: (button: Elements) => Elements;
}

/**
 * The account of the shop in a sheet that shows something else above: one email and one password, which create an account or sign
 * in to it, by the choice above them.
 */
export function AccountView(props: AccountViewProps) {
  const { isResetting, onReset, startsReturning, renderEnd } = props;
  const { store } = useShared();
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const [isReturning, setReturning] = useState(startsReturning);
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
    <section
      aria-label={t("Your {shop} account", { shop: store.name })}
      className="flex flex-1 flex-col gap-2 sm:gap-3"
    >
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
        <>
          <div className="flex flex-wrap items-baseline gap-x-2">
            <h3 className="wrap-anywhere text-sm">{t("Your {shop} account", { shop: store.name })}</h3>
            <p className="text-muted text-xs">{t("Your pass is saved here.")}</p>
          </div>
          <Credentials
            {...view}
            {...{ isReturning, setReturning, renderEnd }}
            onForgotPassword={() => onReset(true)}
          />
        </>
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

interface CredentialsProps extends Pick<AccountViewProps, "renderEnd"> {
  isReturning: boolean;
  setReturning: (isReturning: boolean) => void;
  draft: Draft;
  updateDraft: (update: (draft: Draft) => Draft) => void;
  onFailure: () => void;
  initialFocusRef: RefObject<HTMLElement | null>;
  onForgotPassword: () => void;
}

function Credentials(props: CredentialsProps) {
  const { draft, updateDraft, onFailure, initialFocusRef, onForgotPassword } = props;
  const { isReturning, setReturning, renderEnd } = props;
  const { store } = useShared();
  const { fetcher, form, fields, busy, confirmedEmail } = useAuthForm({
    names: CREDENTIALS,
    defaultValue: { email: draft.email, password: draft.password },
    validate: isReturning ? validateSignIn : validateSignUp,
    onFailure,
  });
  const formElement = useRef<HTMLFormElement>(null);
  useVisibleFocus(formElement);
  // The other choice has other rules. Before the first press of the button there are no errors, and none appear.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the choice
  useEffect(() => {
    if (fields.password.errors !== undefined) form.validate();
  }, [isReturning]);
  const google = useGoogleSignIn();
  const isInsideApp = useInsideApp();
  useEffect(() => {
    if (google.message !== undefined) onFailure();
  }, [google.message, onFailure]);
  // As the choice and a press of the button, with what was typed.
  const signInInstead = () => {
    flushSync(() => setReturning(true));
    formElement.current?.requestSubmit();
  };
  return (
    <fetcher.Form
      {...getFormProps(form)}
      ref={formElement}
      method="post"
      action={isReturning ? SIGN_IN : SIGN_UP}
      onInput={saveDraft(updateDraft, CREDENTIALS)}
      className="flex flex-1 flex-col gap-2 sm:gap-3"
    >
      <AuthFormErrors errors={form.errors} />
      <ConfirmedEmail email={confirmedEmail} />
      {google.isConfigured ? (
        isInsideApp ? (
          <InsideAppNote />
        ) : (
          <GoogleButton wide onClick={google.start} />
        )
      ) : null}
      {google.message === undefined ? null : <Banner tone="error">{google.message}</Banner>}
      {google.waiting ? <WaitingForGoogle onCancel={google.cancel} /> : null}
      <NewOrReturning isReturning={isReturning} onChange={setReturning} />
      <EmailField
        field={fields.email}
        inputRef={initialFocusRef}
        autoComplete="email"
        renderError={(error) => withSignInButton(error, signInInstead)}
      />
      <PasswordField
        field={fields.password}
        autoComplete={isReturning ? "current-password" : "new-password"}
        {...(isReturning ? {} : { hint: NEW_PASSWORD_HINT })}
      />
      {isReturning ? <TextButton onClick={onForgotPassword}>{t("Forgot password?")}</TextButton> : null}
      <TermsNote pages={store.pages} />
      {renderEnd(
        <Button type="submit" variant="strong" wide className="min-h-12 px-3" busy={busy}>
          {t(isReturning ? "Sign in with Email" : "Create an Account")}
        </Button>,
      )}
    </fetcher.Form>
  );
}

interface NewOrReturningProps {
  isReturning: boolean;
  onChange: (isReturning: boolean) => void;
}

/** Two radio buttons that look like one switch. */
function NewOrReturning({ isReturning, onChange }: NewOrReturningProps) {
  const name = useId();
  const choices = [
    { label: t("New here"), value: false },
    { label: t("I have an account"), value: true },
  ];
  return (
    <div
      role="radiogroup"
      aria-label={t("Your account")}
      className="grid grid-cols-2 gap-1 rounded-control bg-ink/6 p-1"
    >
      {choices.map(({ label, value }) => (
        <label
          key={label}
          className="relative flex min-h-9 cursor-pointer items-center justify-center rounded-sm px-2 py-1 text-center font-medium text-muted text-sm has-checked:bg-card has-checked:text-ink forced-colors:has-checked:outline-2 has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name={name}
            checked={value === isReturning}
            onChange={() => onChange(value)}
            className="absolute inset-0 size-full cursor-pointer opacity-0"
          />
          <span>{label}</span>
        </label>
      ))}
    </div>
  );
}

/** When the keyboard of a phone opens, the field that has the focus stays in view with its label. */
function useVisibleFocus(form: RefObject<HTMLFormElement | null>): void {
  useEffect(() => {
    const show = () => {
      const { activeElement } = document;
      if (!(activeElement instanceof HTMLInputElement) || !form.current?.contains(activeElement)) return;
      activeElement.labels?.[0]?.scrollIntoView({ block: "start" });
    };
    window.addEventListener("resize", show);
    return () => window.removeEventListener("resize", show);
  }, [form]);
}
