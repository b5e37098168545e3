import { useEffect, useState } from "react";
import { PRESENCE_REQUEST, presenceSchema } from "#contracts/page-messages.ts";
import { parseMessage } from "#contracts/parse-message.ts";
import { listenToOwnWindow } from "../../tools/extension/listen-to-own-window.ts";

/** The version of the extension in this browser; null while none has answered. */
export function useInstalledVersion(): string | null {
  const [version, setVersion] = useState<string | null>(null);
  useEffect(() => {
    const stop = listenToOwnWindow((message) => {
      const presence = parseMessage(presenceSchema, message);
      if (presence !== null) setVersion(presence.version);
    });
    window.postMessage(PRESENCE_REQUEST, window.location.origin);
    return stop;
  }, []);
  return version;
}
