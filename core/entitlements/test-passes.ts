import type { Context } from "../context.ts";

/** Whether passes bought in test mode open anything: not once a gateway that moves real money is set up. */
export function testPassesCount(ctx: Context): boolean {
  const { gateway } = ctx.ports;
  return gateway === null || gateway.testMode;
}
