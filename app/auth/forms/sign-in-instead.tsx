import type { ReactNode } from "react";

const LINKED = "Try signing in instead";

/** The message about an email that is in use, with its last words as a link; any other message as it is. */
export function withSignInLink(message: string, link: (text: string) => ReactNode): ReactNode {
  const [before, after] = message.split(LINKED);
  if (after === undefined) return message;
  return (
    <>
      {before}
      {link(LINKED)}
      {after}
    </>
  );
}
