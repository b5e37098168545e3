import { isTopic, type Topic } from "#core/live/topics.ts";

/** What GET /live tells. */
export type StreamMessage =
  /** The first of each stream. `recent`: the topics that changed within the last minute. */
  | { kind: "hello"; topics: Topic[]; recent: Topic[]; listening: boolean }
  | { kind: "change"; topic: Topic }
  | { kind: "paused" }
  | { kind: "resumed" }
  | { kind: "heartbeat" };

export const MESSAGE_KINDS = ["hello", "change", "paused", "resumed", "heartbeat"] as const;

/** @returns null for what this version of the page does not know */
export function parseStreamMessage(kind: StreamMessage["kind"], text: unknown): StreamMessage | null {
  const data = parseObject(text);
  if (data === null) return null;
  if (kind === "change") return isTopic(data.topic) ? { kind, topic: data.topic } : null;
  if (kind !== "hello") return { kind };
  return {
    kind,
    topics: topicsIn(data.topics),
    recent: topicsIn(data.recent),
    listening: data.listening === true,
  };
}

export function topicsIn(value: unknown): Topic[] {
  return Array.isArray(value) ? value.filter(isTopic) : [];
}

function parseObject(text: unknown): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(String(text));
    return typeof value === "object" && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}
