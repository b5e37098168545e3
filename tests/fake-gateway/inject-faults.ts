import type { HttpBindings } from "@hono/node-server";
import type { Context, MiddlewareHandler } from "hono";
import { errorBody } from "#adapters/sandbox-gateway/entities.ts";
import { type ArrivedRequest, type Fault, type Faults, requestNameOf } from "./faults.ts";

type Request = Context<{ Bindings: HttpBindings }>;

/**
 * Wraps the API of a gateway on a real socket: each request meets the fault that applies to it, before or after the
 * gateway has processed it.
 */
export function injectFaults(faults: Faults): MiddlewareHandler<{ Bindings: HttpBindings }> {
  /** Idempotency keys of refunds in progress: the gateway reports a conflict meanwhile. */
  const keysInProgress = new Set<string>();

  return async (c, next) => {
    const line = `${c.req.method} ${c.req.path}`;
    const name = requestNameOf(line);
    if (name === undefined) return next();
    // Read before any wait: a request is processed even when its client has disconnected meanwhile.
    await c.req.text();
    const key = c.req.header("x-refund-idempotency");
    if (key !== undefined && keysInProgress.has(key)) {
      const inProgress = "Another request with the same idempotency key is in progress.";
      return c.json(errorBody("BAD_REQUEST_ERROR", inProgress), 409);
    }
    if (key !== undefined) keysInProgress.add(key);
    const request: ArrivedRequest = { name, line, processed: false };
    const closed = new Promise<void>((resolve) => {
      c.env.outgoing.once("close", () => {
        faults.requestEnded(request);
        resolve();
      });
    });
    const fault = faults.requestArrived(request);
    try {
      if (fault && !appliesAfterProcessing(fault)) {
        const response = await meet(c, { faults, fault, closed });
        if (response) return response;
      }
      await next();
      faults.requestProcessed(request);
      if (fault && appliesAfterProcessing(fault)) c.res = (await meet(c, { faults, fault, closed })) ?? c.res;
    } finally {
      if (key !== undefined) keysInProgress.delete(key);
    }
  };
}

function appliesAfterProcessing(fault: Fault): boolean {
  return (
    fault.what === "drop-after" || fault.what === "garbage" || ("after" in fault && fault.after === true)
  );
}

/** @returns the response in place of the gateway's, if any */
async function meet(
  c: Request,
  { faults, fault, closed }: { faults: Faults; fault: Fault; closed: Promise<void> },
): Promise<Response | undefined> {
  switch (fault.what) {
    case "delay":
      await new Promise((resolve) => setTimeout(resolve, fault.ms));
      return undefined;
    case "gate":
      await faults.passGate(fault.gate);
      return undefined;
    case "status":
      return Response.json(errorBody("SERVER_ERROR", "The server encountered an error."), fault);
    case "garbage":
      return new Response("<html>It works!</html>");
    case "hang":
      break;
    default:
      c.env.incoming.socket.destroy();
  }
  await closed;
  return new Response();
}
