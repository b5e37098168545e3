import type { TabEnvironment } from "../shared-stream.ts";
import type { StreamMessage } from "../stream-message.ts";

interface FakeStream {
  send(message: StreamMessage): void;
  lose(): void;
  isOpen: boolean;
  reopened: number;
}

/** The tabs of one browser, in which a test opens and ends streams by hand. */
export function createFakeBrowser(options: { locks?: boolean; pageAge?: number } = {}) {
  const streams: FakeStream[] = [];
  const channels = new Set<{ onmessage: ((event: MessageEvent) => void) | null }>();
  const waiting: { grant: () => Promise<void>; signal: AbortSignal | undefined }[] = [];
  let isHeld = false;

  const grantNext = () => {
    const next = waiting.shift();
    if (next === undefined) return;
    if (next.signal?.aborted) return grantNext();
    isHeld = true;
    void next.grant().then(() => {
      isHeld = false;
      grantNext();
    });
  };
  // The form of LockManager.request that the tabs use.
  const request: LockManager["request"] = (_name: string, ...rest: unknown[]) => {
    const [requested, callback] = rest;
    const signal =
      typeof requested === "object" && requested !== null && "signal" in requested
        ? requested.signal
        : undefined;
    return new Promise((resolve) => {
      const grant = async () => {
        if (typeof callback === "function") resolve(await callback(null));
      };
      waiting.push({ grant, signal: signal instanceof AbortSignal ? signal : undefined });
      if (!isHeld) grantNext();
    });
  };
  const tab = (): TabEnvironment => ({
    locks: options.locks === false ? undefined : { request },
    pageAge: () => options.pageAge ?? 0,
    openChannel() {
      const channel = {
        onmessage: null,
        postMessage(message: unknown) {
          const data = structuredClone(message);
          for (const other of channels)
            if (other !== channel) other.onmessage?.(new MessageEvent("message", { data }));
        },
        close: () => void channels.delete(channel),
      };
      channels.add(channel);
      return channel;
    },
    openStream(onMessage, onLost) {
      const stream = {
        isOpen: true,
        reopened: 0,
        send: (message: StreamMessage) => onMessage(message),
        lose: () => onLost(),
      };
      streams.push(stream);
      return {
        reopen: () => {
          stream.reopened++;
          onLost();
        },
        close: () => {
          stream.isOpen = false;
        },
      };
    },
  });
  return { tab, streams, openStreams: () => streams.filter(({ isOpen }) => isOpen) };
}
