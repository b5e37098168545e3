import type { LiveEvent, LiveUpdates } from "#core/live/live-updates.ts";
import type { Topic, TopicAges } from "#core/live/topics.ts";

/** Live updates that a test makes. */
export function createManualUpdates() {
  const listeners = new Set<(event: LiveEvent) => void>();
  let isListening = true;
  const emit = (event: LiveEvent) => {
    for (const listener of listeners) listener(event);
  };
  const state: { recent: TopicAges } = { recent: {} };
  const updates: LiveUpdates = {
    subscribe(listener: (event: LiveEvent) => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    isListening: () => isListening,
    recentChanges: () => state.recent,
  };
  return Object.assign(state, updates, {
    subscribers: () => listeners.size,
    change: (topic: Topic, version: string) => emit({ kind: "changed", topic, version }),
    pause() {
      isListening = false;
      emit({ kind: "paused" });
    },
    resume() {
      isListening = true;
      emit({ kind: "resumed" });
    },
  });
}
