import type { Topic, TopicAges } from "./topics.ts";

export type LiveEvent =
  /** `version` grows with every change of any topic, in all processes on one database. Decimal digits. */
  | { kind: "changed"; topic: Topic; version: string }
  /** Changes are not heard for now. */
  | { kind: "paused" }
  /** Changes are heard again. Any may have been missed. */
  | { kind: "resumed" };

/** Tells which topics change, in all processes on one database. */
export interface LiveUpdates {
  /** @returns a function that ends the subscription */
  subscribe(listener: (event: LiveEvent) => void): () => void;
  isListening(): boolean;
  /** The topics that changed within the last minute. All may have, until changes have been heard for a minute. */
  recentChanges(): TopicAges;
}
