import { MESSAGE_KINDS, parseStreamMessage, type StreamMessage } from "./stream-message.ts";

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;
/** The server sends a heartbeat every 20 seconds. */
const SILENT_MS = 50_000;

/** The part of EventSource that is used. */
export interface Source {
  addEventListener(type: string, listener: (event: { data?: unknown }) => void): void;
  close(): void;
}

export interface EventStream {
  /** Connects again at once, such as after a sign-in. What comes meanwhile is lost. */
  reopen(): void;
  close(): void;
}

/**
 * Keeps a stream of GET /live open. A stream that ends, fails or is silent for 50 seconds is replaced, after a second and then
 * twice as long each time, up to 30 seconds. (EventSource itself gives up after a refusal.)
 *
 * @param options.onLost called when a stream ends, before the next attempt
 */
export function openEventStream(options: {
  connect(): Source;
  onMessage(message: StreamMessage): void;
  onLost(): void;
}): EventStream {
  let source: Source | undefined;
  let retryMs = FIRST_RETRY_MS;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let silence: ReturnType<typeof setTimeout> | undefined;

  const disconnect = () => {
    clearTimeout(retry);
    clearTimeout(silence);
    source?.close();
    source = undefined;
  };
  const lose = () => {
    disconnect();
    // Not all browsers at the same moment after a restart of the shop.
    retry = setTimeout(connect, retryMs * (0.5 + Math.random() / 2));
    retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
    options.onLost();
  };
  const expectMessage = () => {
    clearTimeout(silence);
    silence = setTimeout(lose, SILENT_MS);
  };
  function connect() {
    disconnect();
    const opened = options.connect();
    source = opened;
    expectMessage();
    opened.addEventListener("error", () => {
      if (source === opened) lose();
    });
    for (const kind of MESSAGE_KINDS)
      opened.addEventListener(kind, ({ data }) => {
        if (source !== opened) return;
        expectMessage();
        const message = parseStreamMessage(kind, data);
        if (message === null) return;
        if (kind === "hello") retryMs = FIRST_RETRY_MS;
        options.onMessage(message);
      });
  }
  connect();
  return {
    reopen() {
      options.onLost();
      connect();
    },
    close: disconnect,
  };
}
