import { isTopic, type Topic, type TopicAges } from "#core/live/topics.ts";

/** What GET /live tells. */
export type StreamMessage =
  /** The first of each stream. `recent`: what changed within the last minute. */
  | { kind: "hello"; topics: readonly Topic[]; recent: TopicAges; listening: boolean }
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
    recent: agesIn(data.recent),
    listening: data.listening === true,
  };
}

function topicsIn(value: unknown): Topic[] {
  return Array.isArray(value) ? value.filter(isTopic) : [];
}

function agesIn(value: unknown): TopicAges {
  const ages: TopicAges = {};
  for (const [topic, age] of Object.entries(value ?? {}))
    if (isTopic(topic) && typeof age === "number") ages[topic] = age;
  return ages;
}

function parseObject(text: unknown): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(String(text));
    return typeof value === "object" && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}
