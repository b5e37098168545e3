import { expect, test, vi } from "vitest";
import { FairQueue, NotAdmittedError } from "./fair-queue.ts";

const options = { atOnce: 2, waiting: 10, waitingPerClient: 5, waitMs: 60_000 };
const neverLeaves = () => new AbortController().signal;

/** Enters the queue and records the order of admission. */
function enter(queue: FairQueue, client: string, admitted: string[], signal = neverLeaves()) {
  return queue.enter(client, signal).then((release) => {
    admitted.push(client);
    return release;
  });
}

test("a queue never runs more tasks at once than its limit, and all tasks run", async () => {
  const queue = new FairQueue({ ...options, waiting: 100, waitingPerClient: 100 });
  let running = 0;
  let most = 0;
  const task = async (client: string) => {
    const release = await queue.enter(client, neverLeaves());
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    release();
  };
  await Promise.all(Array.from({ length: 60 }, (_, index) => task(`client ${index % 7}`)));
  expect(most).toBe(2);
  expect(running).toBe(0);
});

test("a client with many tasks delays another client by one task", async () => {
  const queue = new FairQueue({ ...options, atOnce: 1 });
  const admitted: string[] = [];
  const first = await enter(queue, "greedy", admitted);
  const releases = [1, 2, 3, 4].map(() => enter(queue, "greedy", admitted));
  const modest = enter(queue, "modest", admitted);
  first();
  (await releases[0])?.();
  (await modest)();
  for (const release of releases.slice(1)) (await release)();
  expect(admitted).toEqual(["greedy", "greedy", "modest", "greedy", "greedy", "greedy"]);
});

test("a client with too many waiting tasks is refused while another client is admitted", async () => {
  const queue = new FairQueue({ ...options, atOnce: 1 });
  const release = await queue.enter("greedy", neverLeaves());
  for (let task = 0; task < 5; task++) void queue.enter("greedy", neverLeaves()).then((done) => done());
  await expect(queue.enter("greedy", neverLeaves())).rejects.toMatchObject({ reason: "full" });
  const others = [1, 2, 3, 4, 5].map((client) => queue.enter(`client ${client}`, neverLeaves()));
  await expect(queue.enter("one too many", neverLeaves())).rejects.toBeInstanceOf(NotAdmittedError);
  release();
  for (const other of others) (await other)();
});

test("a client that leaves while it waits is refused and is not admitted later", async () => {
  const queue = new FairQueue({ ...options, atOnce: 1 });
  const admitted: string[] = [];
  const release = await enter(queue, "first", admitted);
  const leaving = new AbortController();
  const left = queue.enter("leaving", leaving.signal);
  const next = enter(queue, "next", admitted);
  leaving.abort();
  await expect(left).rejects.toMatchObject({ reason: "left" });
  release();
  (await next)();
  expect(admitted).toEqual(["first", "next"]);
  await expect(queue.enter("gone", leaving.signal)).rejects.toMatchObject({ reason: "left" });
});

test("a task that waits too long is refused", async () => {
  vi.useFakeTimers();
  try {
    const queue = new FairQueue({ ...options, atOnce: 1, waitMs: 1_000 });
    await queue.enter("first", neverLeaves());
    const late = expect(queue.enter("late", neverLeaves())).rejects.toMatchObject({ reason: "timeout" });
    await vi.advanceTimersByTimeAsync(1_000);
    await late;
  } finally {
    vi.useRealTimers();
  }
});

test("a finished task admits one other task, however often it is released", async () => {
  const queue = new FairQueue({ ...options, atOnce: 1 });
  const release = await queue.enter("first", neverLeaves());
  const admitted: string[] = [];
  const second = enter(queue, "second", admitted);
  const third = enter(queue, "third", admitted);
  release();
  release();
  await second;
  expect(admitted).toEqual(["second"]);
  (await second)();
  await third;
  expect(admitted).toEqual(["second", "third"]);
});
