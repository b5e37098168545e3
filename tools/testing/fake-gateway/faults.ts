import type { RequestName } from "./api.ts";

/**
 * Which requests: a name such as "capture", "any", or a method and a path with * for anything, such as
 * "POST /v1/payments/*".
 */
export type Match = RequestName | "any" | `${string} /${string}`;

/**
 * What goes wrong. With `after` it goes wrong once the work is done, so that only the answer suffers. What is delayed or
 * held at a gate is worked on later even if the one who asked has hung up meanwhile.
 */
export type Fault =
  | { what: "delay"; ms: number; after?: boolean }
  /** Answers with this status and an error body. */
  | { what: "status"; status: number; after?: boolean }
  /** Never answers. */
  | { what: "hang"; after?: boolean }
  /** Cuts the connection, the work not done. */
  | { what: "drop-before" }
  /** Does the work, then cuts the connection. */
  | { what: "drop-after" }
  /** Does the work and answers 200 with something unreadable. */
  | { what: "garbage" }
  /** Waits until `release(gate)`; then goes on as if nothing had been. */
  | { what: "gate"; gate: string; after?: boolean };

export type FaultRule = Fault & {
  match: Match;
  /** How many requests it hits; all when undefined. */
  times?: number;
};

export interface ArrivedRequest {
  name: RequestName;
  /** Such as "POST /v1/orders". */
  line: string;
  /** True once its work is done, or refused. */
  worked: boolean;
}

/** The wait is over when a request of the kind has arrived, or has done its work, and is not answered yet. */
export interface WaitOptions {
  until?: "arrived" | "worked";
  timeoutMs?: number;
}

export type Faults = ReturnType<typeof createFaults>;

const PATIENCE_MS = 30_000;

export function createFaults() {
  let rules: { rule: FaultRule; left: number }[] = [];
  const gates = new Map<string, (() => void)[]>();
  const open = new Set<ArrivedRequest>();
  const waiting = new Set<{ fits: (request: ArrivedRequest) => boolean; found: () => void }>();
  const counts = new Map<RequestName, number>();

  const notice = (request: ArrivedRequest) => {
    for (const waiter of waiting) if (waiter.fits(request)) waiter.found();
  };

  return {
    /** Rules are looked at in the order they were added; the first that fits a request hits it. */
    add(rule: FaultRule): void {
      rules.push({ rule, left: rule.times ?? Number.POSITIVE_INFINITY });
    },
    /** Forgets all rules; what waits at a gate goes on waiting. */
    clear(): void {
      rules = [];
    },
    /** Lets everything at this gate go on, and takes the gate's rules away. */
    release(gate: string): void {
      rules = rules.filter(({ rule }) => rule.what !== "gate" || rule.gate !== gate);
      for (const goOn of gates.get(gate) ?? []) goOn();
      gates.delete(gate);
    },
    /** Resolves at once when such a request is open now. @throws Error after 30 s, or as told */
    waitFor(match: Match, { until = "arrived", timeoutMs = PATIENCE_MS }: WaitOptions = {}): Promise<void> {
      const fits = (request: ArrivedRequest) =>
        (until === "arrived" || request.worked) && matches(match, request);
      if ([...open].some(fits)) return Promise.resolve();
      return new Promise((resolve, reject) => {
        const waiter = { fits, found: () => end(resolve) };
        const timer = setTimeout(
          () => end(() => reject(new Error(`no request '${match}' has ${until} within ${timeoutMs} ms`))),
          timeoutMs,
        );
        const end = (then: () => void) => {
          clearTimeout(timer);
          waiting.delete(waiter);
          then();
        };
        waiting.add(waiter);
      });
    },
    /** How many requests of a name have arrived, or of all names. */
    count(name?: RequestName): number {
      if (name !== undefined) return counts.get(name) ?? 0;
      return [...counts.values()].reduce((sum, one) => sum + one, 0);
    },

    /** For the server: notes the request and finds what goes wrong with it. */
    arrive(request: ArrivedRequest): Fault | null {
      counts.set(request.name, (counts.get(request.name) ?? 0) + 1);
      open.add(request);
      const hit = rules.find(({ rule, left }) => left > 0 && matches(rule.match, request));
      if (hit) hit.left--;
      notice(request);
      return hit?.rule ?? null;
    },
    work(request: ArrivedRequest): void {
      request.worked = true;
      notice(request);
    },
    leave(request: ArrivedRequest): void {
      open.delete(request);
    },
    /** Resolves when the gate is released. */
    passGate(gate: string): Promise<void> {
      return new Promise((resolve) => gates.set(gate, [...(gates.get(gate) ?? []), resolve]));
    },
  };
}

function matches(match: Match, { name, line }: ArrivedRequest): boolean {
  if (match === "any" || match === name) return true;
  if (!match.includes("/")) return false;
  const pattern = match.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${pattern.join(".*")}$`).test(line);
}
