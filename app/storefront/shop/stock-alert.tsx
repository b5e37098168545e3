import { useCallback, useEffect, useRef, useState } from "react";
import { useRevalidator } from "react-router";
import type { CatalogueCard } from "#core/catalog/on-sale.server.ts";
import { pendingAlert, pendingTool } from "../../auth/pending-choice.ts";
import { useSignIn } from "../../auth/sign-in-provider.tsx";
import { callShop, postJson } from "../../connection/shop-api.ts";
import { Button } from "../../ui/button.tsx";
import { NETWORK_ERROR_MESSAGE } from "../../ui/shop-connection.tsx";
import { t } from "../../ui/texts/texts.ts";
import { useShared } from "../../use-shared.ts";
import { shopPath } from "../catalogue/catalogue-params.ts";

interface StockAlertProps {
  tool: Pick<CatalogueCard, "slug" | "name">;
  /** Whether the buyer waits for the tool, as of the loading of the page. */
  isWaiting: boolean;
}

/** For a tool out of stock: asks for a mail when it is back, and takes that back with a second press. */
export function StockAlert({ tool, isWaiting }: StockAlertProps) {
  const { sendsMail } = useShared();
  const { isWanted, isBusy, problem, press } = useStockAlert(tool, isWaiting);
  return (
    <div className="flex w-full flex-col gap-2">
      <p role="status" className="text-center text-sm empty:hidden">
        {isWanted
          ? t(
              sendsMail
                ? "We’ll email you when it’s back."
                : "You’re on the list. This shop can’t send email yet, so please check back.",
            )
          : null}
      </p>
      <Button wide variant={isWanted ? "quiet" : "plain"} busy={isBusy} onClick={press}>
        {t(isWanted ? "Cancel alert" : "Tell me when it’s back")}
      </Button>
      <p role="alert" className="text-center text-red text-sm empty:hidden">
        {problem}
      </p>
    </div>
  );
}

/** The shop repeats what was asked for. */
const answerReader = {
  parse: (body: unknown) => {
    if (typeof body === "object" && body !== null && "wanted" in body) return body.wanted === true;
    throw new TypeError("the response says nothing about the alert");
  },
};

/**
 * Sets the alert on the server. A visitor signs in first; it then goes on by itself, even when the sign-in has reloaded the
 * page.
 */
function useStockAlert({ slug, name }: StockAlertProps["tool"], isWaiting: boolean) {
  const { user, sendsMail } = useShared();
  const isSignedIn = user !== null;
  const { openSignInBecause, isOpen: isSigningIn } = useSignIn();
  const { revalidate } = useRevalidator();
  /** What the server has answered; null: nothing yet. */
  const [answer, setAnswer] = useState<boolean | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const isWanted = isSignedIn && (answer ?? isWaiting);

  const signInFirst = useCallback(() => {
    pendingTool.forget();
    pendingAlert.remember(slug);
    openSignInBecause(
      t(
        sendsMail
          ? "Sign in, and we’ll tell you when {tool} is back."
          : "Sign in, and we’ll put you on the list for {tool}.",
        { tool: name },
      ),
    );
  }, [slug, name, sendsMail, openSignInBecause]);

  const send = useCallback(
    async (wanted: boolean) => {
      setBusy(true);
      setProblem(null);
      const result = await callShop(answerReader, `${shopPath(slug)}/alert`, postJson({ wanted }));
      setBusy(false);
      if (result.ok) return setAnswer(result.value);
      // The session has ended since the page was loaded.
      if (wanted && result.refusal?.code === "unauthenticated") signInFirst();
      else setProblem(result.refusal?.message ?? t(NETWORK_ERROR_MESSAGE));
      // The tool may be in stock meanwhile, or the buyer may have a pass.
      if (result.refusal !== null) await revalidate();
    },
    [slug, signInFirst, revalidate],
  );

  useEffect(() => {
    if (!isSignedIn || pendingAlert.read()?.id !== slug) return;
    pendingAlert.forget();
    void send(true);
  }, [isSignedIn, slug, send]);

  // Closing the sign-in dialog gives the wish up.
  const wasSigningIn = useRef(false);
  useEffect(() => {
    if (wasSigningIn.current && !isSigningIn && !isSignedIn) pendingAlert.forget();
    wasSigningIn.current = isSigningIn;
  }, [isSigningIn, isSignedIn]);

  return { isWanted, isBusy, problem, press: isSignedIn ? () => void send(!isWanted) : signInFirst };
}
