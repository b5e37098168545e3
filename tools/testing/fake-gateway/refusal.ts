/** A refused request, with the gateway's published error descriptions. */
export class Refusal extends Error {
  readonly status: number;
  readonly field: string | null;

  constructor(description: string, options: { status?: number; field?: string } = {}) {
    super(description);
    this.name = "Refusal";
    this.status = options.status ?? 400;
    this.field = options.field ?? null;
  }
}

export const unknownId = () => new Refusal("The id provided does not exist");

export function errorBody(description: string, field: string | null = null, code = "BAD_REQUEST_ERROR") {
  return {
    error: {
      code,
      description,
      source: code === "SERVER_ERROR" ? "internal" : "business",
      step: "payment_initiation",
      reason: code === "SERVER_ERROR" ? "server_error" : "input_validation_failed",
      metadata: {},
      ...(field === null ? {} : { field }),
    },
  };
}
