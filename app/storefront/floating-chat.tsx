import MessageCircle from "lucide-react/icons/message-circle";
import X from "lucide-react/icons/x";
import { useEffect, useState } from "react";

const DISMISSED_KEY = "chat-label-dismissed";
const LABEL_AFTER_MS = 15_000;

/** A floating button that opens the support chat. Its label can be dismissed permanently; the button stays. */
export function FloatingChat({ url }: { url: string }) {
  const [labelled, setLabelled] = useState(false);

  // The label covers a part of the page, so it appears only after a while or after scrolling, and never once dismissed.
  useEffect(() => {
    if (wasDismissed()) return;
    const show = () => {
      stop();
      setLabelled(true);
    };
    const timer = setTimeout(show, LABEL_AFTER_MS);
    const stop = () => {
      clearTimeout(timer);
      window.removeEventListener("scroll", show);
    };
    window.addEventListener("scroll", show, { passive: true });
    return stop;
  }, []);

  return (
    <aside aria-label="Support" className="fixed right-4 bottom-4 z-20 sm:right-6 sm:bottom-6">
      {labelled ? (
        <div className="appear absolute right-full bottom-1.5 mr-2 flex items-center whitespace-nowrap rounded-full border border-line bg-card pl-4 shadow-float">
          <span className="font-medium">Chat with us</span>
          <button
            type="button"
            aria-label="Dismiss the chat label"
            onClick={() => {
              setLabelled(false);
              rememberDismissal();
            }}
            className="inline-flex size-11 items-center justify-center rounded-full text-muted hover:text-ink"
          >
            <X aria-hidden="true" className="size-4" />
          </button>
        </div>
      ) : null}
      <a
        href={url}
        target="_blank"
        rel="noreferrer"
        aria-label="Chat with us"
        className="inline-flex size-14 items-center justify-center rounded-full bg-strong text-on-strong shadow-float transition-colors duration-150 hover:bg-strong-hover"
      >
        <MessageCircle aria-hidden="true" className="size-6" />
      </a>
    </aside>
  );
}

function wasDismissed(): boolean {
  try {
    return localStorage.getItem(DISMISSED_KEY) === "1";
  } catch {
    return false;
  }
}

function rememberDismissal(): void {
  try {
    localStorage.setItem(DISMISSED_KEY, "1");
  } catch {
    // Without storage the label is dismissed for this page only.
  }
}
