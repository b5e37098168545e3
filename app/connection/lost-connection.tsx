import { useSyncExternalStore } from "react";
import { createPortal } from "react-dom";
import { NoConnection } from "../ui/no-connection.tsx";
import { currentQuestion, subscribeToQuestion } from "./try-again.ts";

/** The sheet that says that the next page, or an answer, could not be loaded. */
export function LostConnection() {
  const question = useSyncExternalStore(subscribeToQuestion, currentQuestion, () => null);
  if (question === null) return null;
  // Beside the page and not in it: an open modal dialog hides the page from assistive technology.
  return createPortal(
    <NoConnection busy={question.busy} onTryAgain={question.tryAgain} onClose={question.close} />,
    document.body,
  );
}
