import { type FormEvent, useEffect, useRef, useState } from "react";
import { Link } from "react-router";
import * as z from "zod/mini";
import type { MyAccount } from "#core/accounts/profile.server.ts";
import type { ErrorCode } from "#core/errors.ts";
import { messageForCode, SOMETHING_WENT_WRONG } from "../../errors/error-messages.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { NETWORK_ERROR_MESSAGE } from "../../ui/shop-connection.tsx";
import { t } from "../../ui/texts/texts.ts";
import { useShared } from "../../use-shared.ts";
import { AccountSection } from "./account-form.tsx";
import { canConfirm, OwnerCheck } from "./owner-check.tsx";

const DATA_PATH = "/account/data";

/** The refusals that the page explains after a request without scripts. Any other word in the address gets a general sentence. */
const REFUSALS = [
  "wrong-password",
  "downloads-too-fast",
  "sign-in-rate-limited",
  "sign-in-busy",
  "google-sign-in-needed",
] as const satisfies readonly ErrorCode[];

/** The sentence for a refusal. @param code from the address of the page, which anybody may have written */
export function explainDownloadRefusal(code: string): string {
  const known = REFUSALS.find((one) => one === code);
  return known === undefined ? t(SOMETHING_WENT_WRONG) : messageForCode(known);
}

interface Outcome {
  ok: boolean;
  message: string;
  fields?: Record<string, string[]> | undefined;
}

const refusalSchema = z.object({
  message: z.string(),
  fields: z.optional(z.record(z.string(), z.array(z.string()))),
});

/** Downloads the file and gives it to the browser. @returns the message for the person; it does not throw */
async function download(form: FormData): Promise<Outcome> {
  const body = new URLSearchParams({ password: String(form.get("password") ?? "") });
  const headers = { accept: "application/json" };
  const response = await fetch(DATA_PATH, { method: "POST", headers, body }).catch(() => null);
  if (response === null) return { ok: false, message: t(NETWORK_ERROR_MESSAGE) };
  if (!response.ok) {
    const refusal = refusalSchema.safeParse(await response.json().catch(() => null));
    return refusal.success ? { ok: false, ...refusal.data } : { ok: false, message: t(SOMETHING_WENT_WRONG) };
  }
  const file = await response.blob().catch(() => null);
  if (file === null) return { ok: false, message: t(NETWORK_ERROR_MESSAGE) };
  const [, name = "my-data.json"] =
    /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "") ?? [];
  saveFile(file, name);
  return { ok: true, message: t("Your data has been downloaded.") };
}

/** The part of the account page that downloads everything that the shop has stored about the person. */
export function DataSection({ account, refusal }: { account: MyAccount; refusal: string | null }) {
  const { store } = useShared();
  const [outcome, setOutcome] = useState<Outcome | null>(
    refusal === null ? null : { ok: false, message: refusal },
  );
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (outcome?.ok) form.current?.reset();
    else form.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus();
  }, [outcome]);
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setOutcome(await download(new FormData(event.currentTarget)));
    setBusy(false);
  };
  return (
    <AccountSection
      id="data"
      title={t("Your data")}
      about={
        <>
          <span>
            {t(
              "One file with everything we’ve stored about you: your account, orders, payments, passes, devices and emails.",
            )}
          </span>
          {store.pages.includes("privacy") ? (
            <>
              {" "}
              <Link to="/privacy" className="text-accent underline underline-offset-4">
                {t("Privacy Policy")}
              </Link>
            </>
          ) : null}
        </>
      }
    >
      <form
        ref={form}
        method="post"
        action={DATA_PATH}
        onSubmit={(event) => void send(event)}
        className="flex max-w-96 flex-col gap-4"
      >
        {outcome === null || outcome.fields !== undefined ? null : (
          <Banner tone={outcome.ok ? "success" : "error"}>{outcome.message}</Banner>
        )}
        <OwnerCheck
          account={account}
          id="data-password"
          returnTo="/account"
          errors={outcome?.fields?.password}
        />
        {canConfirm(account) ? (
          <Button type="submit" busy={busy} className="self-start">
            {t("Download My Data")}
          </Button>
        ) : null}
      </form>
    </AccountSection>
  );
}
