import { useEffect, useRef, useState } from "react";
import { rememberExtension } from "./extension-presence.ts";
import { type ExtensionOutcome, type TriggerRequest, triggerExtension } from "./trigger-extension.ts";

/** Hands access codes of one server to the browser extension, and holds what it answered to the last one. */
export function useExtensionTrigger(extensionId: string) {
  const [outcome, setOutcome] = useState<ExtensionOutcome | null>(null);
  const stop = useRef<() => void>(() => undefined);
  useEffect(() => () => stop.current(), []);

  const clear = () => {
    stop.current();
    setOutcome(null);
  };
  const trigger = (request: TriggerRequest) => {
    clear();
    stop.current = triggerExtension(request, extensionId, (received) => {
      rememberExtension(received.kind === "answered");
      setOutcome(received);
    });
  };
  const refuse = () => {
    clear();
    setOutcome({ kind: "impossible" });
  };
  return { outcome, trigger, clear, refuse };
}
