import { useEffect, useRef, useState } from "react";
import type { MyDeletion } from "#core/accounts/delete-account.server.ts";
import type { MyAccount } from "#core/accounts/profile.server.ts";
import { DELETION_WORD } from "#core/accounts/rules.ts";
import { formatPaise } from "#core/money.ts";
import { hasNoEnd } from "#core/time.ts";
import { DateOnly } from "../../time/date-time.tsx";
import { Button, NoScriptsLink } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { useBackStep } from "../../ui/dialogs/use-back-step.ts";
import { TextField } from "../../ui/forms/text-field.tsx";
import { plural, t, tNodes } from "../../ui/texts/texts.ts";
import {
  AccountForm,
  type AccountResult,
  AccountSection,
  FormOutcome,
  useIsSending,
} from "./account-form.tsx";
import { canConfirm, OwnerCheck } from "./owner-check.tsx";

/** Begins something dangerous. The button that does it, after a question, is `danger`. */
const DANGEROUS = "border-red! text-red!";

/** The address at which the form is part of the page: without scripts, and after another sign-in with Google. */
const OPEN_PATH = "/account?delete";

interface DeletionProps {
  account: MyAccount;
  deletion: MyDeletion;
  result: AccountResult | undefined;
}

/** The part of the account page that deletes the account. @param isOpen whether the form is in the page and not in a dialog */
export function DeletionSection({ isOpen, ...deletion }: DeletionProps & { isOpen: boolean }) {
  const [isShown, setShown] = useState(false);
  const close = () => setShown(false);
  useBackStep(isShown ? "open" : "closed", close);
  return (
    <AccountSection
      id="delete"
      title={t("Delete account")}
      about={t("Removes your account and your data from this shop. This can’t be undone.")}
    >
      {isOpen ? (
        <div className="max-w-96">
          <DeletionForm {...deletion} />
        </div>
      ) : (
        <>
          <Button className={DANGEROUS} onClick={() => setShown(true)}>
            {t("Delete My Account")}
          </Button>
          <NoScriptsLink href={`${OPEN_PATH}#delete`} className={DANGEROUS}>
            {t("Delete My Account")}
          </NoScriptsLink>
          <Dialog
            open={isShown}
            onOpenChange={(next) => !next && close()}
            title={t("Delete your account?")}
            keepOnOutsidePress
          >
            <DeletionForm {...deletion} onCancel={close} />
          </Dialog>
        </>
      )}
    </AccountSection>
  );
}

function DeletionForm({ account, deletion, result, onCancel }: DeletionProps & { onCancel?: () => void }) {
  const busy = useIsSending("delete");
  const fields = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (result?.ok === false) fields.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus();
  }, [result]);
  return (
    <AccountForm intent="delete" action={onCancel === undefined ? OPEN_PATH : "/account"}>
      <div ref={fields} className="flex flex-col gap-4">
        <Consequences deletion={deletion} />
        <FormOutcome result={result} />
        <input type="hidden" name="passes" value={deletion.passes} />
        <input type="hidden" name="checkouts" value={deletion.checkouts} />
        <OwnerCheck
          account={account}
          id="deletion-password"
          returnTo={OPEN_PATH}
          errors={result?.fields?.password}
        />
        {canConfirm(account) ? (
          <TextField
            id="deletion-confirmation"
            name="confirmation"
            label={t("Type {word} to confirm", { word: DELETION_WORD })}
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            errors={result?.fields?.confirmation}
            required
          />
        ) : null}
        <div className="flex flex-wrap justify-end gap-2">
          {onCancel === undefined ? null : <Button onClick={onCancel}>{t("Cancel")}</Button>}
          {canConfirm(account) ? (
            <Button type="submit" variant="danger" busy={busy}>
              {t("Delete Account")}
            </Button>
          ) : null}
        </div>
      </div>
    </AccountForm>
  );
}

/** What happens at once, what goes on, and what is kept. */
function Consequences({ deletion }: { deletion: MyDeletion }) {
  const { passes, lastPassEndsAt, checkouts, openRefundsPaise } = deletion;
  return (
    <div className="flex flex-col gap-3 text-sm">
      <ul className="flex list-disc flex-col gap-1 pl-5">
        {passes > 0 ? (
          <li>
            <strong className="font-semibold">
              {plural(
                passes,
                "Your pass ends now, without a refund.",
                "Your {count} passes end now, without a refund.",
              )}
            </strong>{" "}
            <span>
              {lastPassEndsAt === null
                ? null
                : hasNoEnd(lastPassEndsAt)
                  ? t(passes === 1 ? "It would have had no end." : "The last one would have had no end.")
                  : tNodes(
                      passes === 1
                        ? "It would have worked until {date}."
                        : "The last one would have worked until {date}.",
                      { date: <DateOnly key="date" date={lastPassEndsAt} /> },
                    )}
            </span>
          </li>
        ) : null}
        {checkouts > 0 ? (
          <li>
            {plural(
              checkouts,
              "Your unfinished payment is cancelled. If a payment still reaches us, we’ll refund it automatically.",
              "Your {count} unfinished payments are cancelled. If a payment still reaches us, we’ll refund it automatically.",
            )}
          </li>
        ) : null}
        {openRefundsPaise > 0 ? (
          <li>
            {t("You’ll still get your refund of {price}.", {
              price: formatPaise(openRefundsPaise),
            })}
          </li>
        ) : null}
        <li>{t("You’re signed out everywhere, and the extension is disconnected.")}</li>
        <li>{t("Your name, email address, devices and emails are removed.")}</li>
      </ul>
      <p className="text-muted">
        {t(
          "By law, we have to keep payments in our books. We keep them without your name and email address. Backups still contain your data until they’re replaced.",
        )}
      </p>
    </div>
  );
}
