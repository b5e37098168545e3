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
  const inInterval = new Map<Topic, { timer: NodeJS.Timeout; changedAgain: boolean }>();

  const pass = (topics: readonly Topic[]) => {
    for (const topic of topics) {
      const timer = setTimeout(() => {
        const changedAgain = inInterval.get(topic)?.changedAgain;
        inInterval.delete(topic);
        if (changedAgain) pass([topic]);
      }, options.everyMs).unref();
      inInterval.set(topic, { timer, changedAgain: false });
    }
    if (topics.length > 0) options.send(topics);
  };
  return {
    add(topics) {
      const due = topics.filter((topic) => {
        const state = inInterval.get(topic);
        if (state) state.changedAgain = true;
        return state === undefined;
      });
      pass(due);
    },
    flush() {
      const due = [...inInterval].filter(([, { changedAgain }]) => changedAgain).map(([topic]) => topic);
      for (const { timer } of inInterval.values()) clearTimeout(timer);
      inInterval.clear();
      if (due.length > 0) options.send(due);
    },
  };
}
