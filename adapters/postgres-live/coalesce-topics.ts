import type { Topic } from "#core/live/topics.ts";

export interface TopicCoalescer {
  add(topics: readonly Topic[]): void;
  /** Passes on at once what waits. */
  flush(): void;
}

/**
 * Passes a topic on at once, and then at most once in each interval: what comes meanwhile is passed on at its end. So the
 * last change is never lost.
 *
 * @param options.send called with topics that are due, each once
 */
export function coalesceTopics(options: {
  everyMs: number;
  send(topics: readonly Topic[]): void;
}): TopicCoalescer {
  /** Topics that were passed on within the interval. */
  const waiting = new Map<Topic, { timer: NodeJS.Timeout; again: boolean }>();

  const pass = (topics: readonly Topic[]) => {
    for (const topic of topics) {
      const timer = setTimeout(() => {
        const again = waiting.get(topic)?.again;
        waiting.delete(topic);
        if (again) pass([topic]);
      }, options.everyMs).unref();
      waiting.set(topic, { timer, again: false });
    }
    if (topics.length > 0) options.send(topics);
  };
  return {
    add(topics) {
      const due = topics.filter((topic) => {
        const state = waiting.get(topic);
        if (state) state.again = true;
        return state === undefined;
      });
      pass(due);
    },
    flush() {
      const due = [...waiting].filter(([, { again }]) => again).map(([topic]) => topic);
      for (const { timer } of waiting.values()) clearTimeout(timer);
      waiting.clear();
      if (due.length > 0) options.send(due);
    },
  };
}
