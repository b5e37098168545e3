import { useEffect, useRef, useState } from "react";
import { useRevalidator } from "react-router";
import { isShopReachable } from "../../ui/shop-connection.ts";
import { useShared } from "../../use-shared.ts";
import { type GooglePopup, openGooglePopup } from "../google/google-popup.ts";
import { type Finding, GOOGLE_NOT_CONFIGURED } from "./findings.ts";
import { type GoogleTestOutcome, judgeGoogleTest } from "./google-test.ts";

const WAITING: Finding = { status: "pending", text: "Complete your sign-in in the Google window." };

/** Runs the real sign-in with Google in its window, and says in words how it ended. */
export function useGoogleTest() {
  const { googleSignIn, origin } = useShared();
  const { revalidate } = useRevalidator();
  const popup = useRef<GooglePopup | null>(null);
  const [finding, setFinding] = useState<Finding | null>(null);
  useEffect(() => () => popup.current?.abandon(), []);

  const onOutcome = async (outcome: GoogleTestOutcome) => {
    popup.current = null;
    const asksShop = outcome.kind === "closed" || outcome.kind === "refused";
    const reachable = asksShop ? await isShopReachable() : true;
    setFinding(judgeGoogleTest(outcome, { reachable, actual: window.location.origin, expected: origin }));
    // Also after a window was closed: its result may have been lost.
    void revalidate();
  };

  const start = () => {
    if (!googleSignIn) return setFinding(GOOGLE_NOT_CONFIGURED);
    if (popup.current) return popup.current.focus();
    if (!navigator.onLine) return void onOutcome({ kind: "offline" });
    setFinding(WAITING);
    const opened = openGooglePopup((outcome) => void onOutcome(outcome));
    popup.current = opened;
    if (opened === null) return void onOutcome({ kind: "blocked" });
    // The browser may believe that it is online. Its window then shows an error page, which never answers.
    void isShopReachable().then((reachable) => reachable || opened.cancel());
  };

  return { finding, start, waiting: finding?.status === "pending" };
}
