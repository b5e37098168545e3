import { useEffect } from "react";
import { useNavigate, useRevalidator } from "react-router";
import { useShared } from "../use-shared.ts";

const REDIRECT_DELAY_MS = 100;

/**
 * Redirects to the home page when the session ends while the page is open. Returning to the page revalidates, so that a
 * sign-out in another tab or browser is noticed.
 */
export function useRedirectWhenSignedOut(): void {
  const signedIn = useShared().user !== null;
  const navigate = useNavigate();
  const { revalidate } = useRevalidator();

  useEffect(() => {
    if (signedIn) return;
    const timer = setTimeout(() => void navigate("/", { replace: true }), REDIRECT_DELAY_MS);
    return () => clearTimeout(timer);
  }, [signedIn, navigate]);

  useEffect(() => {
    const revalidateWhenVisible = () => {
      if (document.visibilityState === "visible") void revalidate();
    };
    document.addEventListener("visibilitychange", revalidateWhenVisible);
    window.addEventListener("pageshow", revalidateWhenVisible);
    return () => {
      document.removeEventListener("visibilitychange", revalidateWhenVisible);
      window.removeEventListener("pageshow", revalidateWhenVisible);
    };
  }, [revalidate]);
}
