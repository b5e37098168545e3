/** The requests of the API. The first match counts. */
const REQUESTS = {
  "create-order": /^POST \/v1\/orders$/,
  "list-orders": /^GET \/v1\/orders$/,
  "order-payments": /^GET \/v1\/orders\/[^/]+\/payments$/,
  order: /^GET \/v1\/orders\/[^/]+$/,
  capture: /^POST \/v1\/payments\/[^/]+\/capture$/,
  refund: /^POST \/v1\/payments\/[^/]+\/refund$/,
  "payment-refunds": /^GET \/v1\/payments\/[^/]+\/refunds$/,
  payment: /^GET \/v1\/payments\/[^/]+$/,
  "refund-status": /^GET \/v1\/refunds\/[^/]+$/,
  "list-disputes": /^GET \/v1\/disputes$/,
  dispute: /^GET \/v1\/disputes\/[^/]+$/,
};

export type RequestName = keyof typeof REQUESTS;

const isRequestName = (name: string): name is RequestName => Object.hasOwn(REQUESTS, name);

/** @param line such as "POST /v1/orders" */
export function requestNameOf(line: string): RequestName | undefined {
  return Object.keys(REQUESTS)
    .filter(isRequestName)
    .find((name) => REQUESTS[name].test(line));
}

/** Selects requests: a name such as "capture", "any", or method and path with * as wildcard: "POST /v1/payments/*". */
export type RequestMatch = RequestName | "any" | `${string} /${string}`;

/**
 * An injected fault. With `after` it applies once the request is processed, so that only the response is affected. A
 * request that is delayed or held at a gate is processed later even if the client disconnects meanwhile.
 */
export type Fault =
  | { what: "delay"; ms: number; after?: boolean }
  /** Responds with this status and an error body. */
  | { what: "status"; status: number; after?: boolean }
  /** Never responds. */
  | { what: "hang"; after?: boolean }
  /** Cuts the connection without processing the request. */
  | { what: "drop-before" }
  /** Processes the request, then cuts the connection. */
  | { what: "drop-after" }
  /** Processes the request and responds with 200 and an unreadable body. */
  | { what: "garbage" }
  /** Waits until `release(gate)`, then continues normally. */
  | { what: "gate"; gate: string; after?: boolean };

export type FaultRule = Fault & {
  match: RequestMatch;
  /** How many requests it applies to; all when undefined. */
  times?: number;
};

export interface ArrivedRequest {
  name: RequestName;
  /** Such as "POST /v1/orders". */
  line: string;
  /** True once it is processed or refused. */
  processed: boolean;
}

/** Waits until a matching request has arrived, or is processed, and has no response yet. */
export interface WaitOptions {
  until?: "arrived" | "processed";
  timeoutMs?: number;
}

export type Faults = ReturnType<typeof createFaults>;

const WAIT_TIMEOUT_MS = 30_000;

export function createFaults() {
  let rules: { rule: FaultRule; left: number }[] = [];
  const gates = new Map<string, (() => void)[]>();
  const openRequests = new Set<ArrivedRequest>();
  const waiters = new Set<{ isMatch: (request: ArrivedRequest) => boolean; found: () => void }>();
  const counts = new Map<RequestName, number>();

  const notifyWaiters = (request: ArrivedRequest) => {
    for (const waiter of waiters) if (waiter.isMatch(request)) waiter.found();
  };

  return {
    /** Rules apply in the order they were added; a request gets the first that matches. */
    add(rule: FaultRule): void {
      rules.push({ rule, left: rule.times ?? Number.POSITIVE_INFINITY });
    },
    /** Removes all rules. Requests at a gate keep waiting. */
    clear(): void {
      rules = [];
    },
    /** Continues all requests at this gate and removes its rules. */
    release(gate: string): void {
      rules = rules.filter(({ rule }) => rule.what !== "gate" || rule.gate !== gate);
      for (const resume of gates.get(gate) ?? []) resume();
      gates.delete(gate);
    },
    /** Resolves at once when such a request is open. @throws Error after `timeoutMs`, 30 s by default */
    waitFor(
      match: RequestMatch,
      { until = "arrived", timeoutMs = WAIT_TIMEOUT_MS }: WaitOptions = {},
    ): Promise<void> {
      const isMatch = (request: ArrivedRequest) =>
        (until === "arrived" || request.processed) && matches(match, request);
      if ([...openRequests].some(isMatch)) return Promise.resolve();
      return new Promise((resolve, reject) => {
        const waiter = { isMatch, found: () => end(resolve) };
        const timer = setTimeout(
          () => end(() => reject(new Error(`no request '${match}' has ${until} within ${timeoutMs} ms`))),
          timeoutMs,
        );
        const end = (then: () => void) => {
          clearTimeout(timer);
          waiters.delete(waiter);
          then();
        };
        waiters.add(waiter);
      });
    },
    /** How many requests of this name, or in total, have arrived. */
    count(name?: RequestName): number {
      if (name !== undefined) return counts.get(name) ?? 0;
      return [...counts.values()].reduce((sum, one) => sum + one, 0);
    },

    /** For the server: records the request and returns the fault that applies to it. */
    requestArrived(request: ArrivedRequest): Fault | null {
      counts.set(request.name, (counts.get(request.name) ?? 0) + 1);
      openRequests.add(request);
      const hit = rules.find(({ rule, left }) => left > 0 && matches(rule.match, request));
      if (hit) hit.left--;
      notifyWaiters(request);
      return hit?.rule ?? null;
    },
    requestProcessed(request: ArrivedRequest): void {
      request.processed = true;
      notifyWaiters(request);
    },
    requestEnded(request: ArrivedRequest): void {
      openRequests.delete(request);
    },
    /** Resolves when the gate is released. */
    passGate(gate: string): Promise<void> {
      return new Promise((resolve) => gates.set(gate, [...(gates.get(gate) ?? []), resolve]));
    },
  };
}

function matches(match: RequestMatch, { name, line }: ArrivedRequest): boolean {
  if (match === "any" || match === name) return true;
  if (!match.includes("/")) return false;
  const pattern = match.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${pattern.join(".*")}$`).test(line);
}
