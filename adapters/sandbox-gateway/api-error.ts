import type { ContentfulStatusCode } from "hono/utils/http-status";

/** A refusal of the sandbox's API, with Razorpay's own message where it is known. */
export class SandboxApiError extends Error {
  readonly status: ContentfulStatusCode;
  readonly field: string | null;

  constructor(description: string, options: { status?: ContentfulStatusCode; field?: string } = {}) {
    super(description);
    this.name = "SandboxApiError";
    this.status = options.status ?? 400;
    this.field = options.field ?? null;
  }
}

export const unknownId = () => new SandboxApiError("The id provided does not exist");

export function errorBody(code: "BAD_REQUEST_ERROR" | "SERVER_ERROR", description: string, field?: string) {
  return {
    error: {
      code,
      description,
      source: code === "SERVER_ERROR" ? "internal" : "business",
      step: "payment_initiation",
      reason: code === "SERVER_ERROR" ? "server_error" : "input_validation_failed",
      metadata: {},
      ...(field ? { field } : {}),
    },
  };
}
