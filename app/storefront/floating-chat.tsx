import MessageCircle from "lucide-react/icons/message-circle";
import X from "lucide-react/icons/x";
import { useEffect, useState } from "react";

const DISMISSED_KEY = "chat-label-dismissed";

/** Support within a thumb's reach. Its label can be sent away for good; the button stays. */
export function FloatingChat({ url }: { url: string }) {
  const [labelled, setLabelled] = useState(false);

  // The label comes after the page, so that one sent away never flashes up.
  useEffect(() => setLabelled(!wasDismissed()), []);

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
    // Without storage it stays away for this page only.
  }
}
