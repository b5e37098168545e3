import { useEffect } from "react";
import { useNavigate, useRevalidator } from "react-router";
import { useShared } from "../use-shared.ts";

const LEAVE_AFTER_MS = 100;

/**
 * Leaves for home when the session ends while the page is open. Coming back to the page asks the server again, so that
 * a sign-out elsewhere shows here as well.
 */
export function useLeaveWhenSignedOut(): void {
  const signedIn = useShared().user !== null;
  const navigate = useNavigate();
  const { revalidate } = useRevalidator();

  useEffect(() => {
    if (signedIn) return;
    const timer = setTimeout(() => void navigate("/", { replace: true }), LEAVE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [signedIn, navigate]);

  useEffect(() => {
    const askAgain = () => {
      if (document.visibilityState === "visible") void revalidate();
    };
    document.addEventListener("visibilitychange", askAgain);
    window.addEventListener("pageshow", askAgain);
    return () => {
      document.removeEventListener("visibilitychange", askAgain);
      window.removeEventListener("pageshow", askAgain);
    };
  }, [revalidate]);
}
