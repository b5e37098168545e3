import type { Context } from "hono";
import { z } from "zod";
import type { Control } from "./control.ts";
import type { FaultRule, Faults, RequestMatch, RequestName } from "./faults.ts";
import type { Webhooks } from "./webhooks.ts";

const id = z.string();
const overrides = z
  .object({
    amountPaise: z.int().exactOptional(),
    currency: z.string().exactOptional(),
    buyerFeePaise: z.int().exactOptional(),
    offerPaise: z.int().exactOptional(),
    reportsFeeEarly: z.boolean().exactOptional(),
  })
  .optional();
const onOrder = z.tuple([id, overrides]);
const onOne = z.tuple([id]);
const nothing = z.tuple([]);
const withReason = z.tuple([id, z.string().optional()]);
const newDispute = z.object({ amountPaise: z.int().exactOptional(), phase: z.string().exactOptional() });
const disputeStatus = z.enum(["open", "under_review", "won", "lost", "closed"]);
const match = z.custom<RequestMatch>((value) => typeof value === "string");
const times = { match, times: z.int().positive().exactOptional() };
const after = z.boolean().exactOptional();
const faultRule: z.ZodType<FaultRule> = z.discriminatedUnion("what", [
  z.object({ what: z.literal("delay"), ms: z.number(), after, ...times }),
  z.object({ what: z.literal("status"), status: z.int().min(200).max(599), after, ...times }),
  z.object({ what: z.literal("hang"), after, ...times }),
  z.object({ what: z.literal("drop-before"), ...times }),
  z.object({ what: z.literal("drop-after"), ...times }),
  z.object({ what: z.literal("garbage"), ...times }),
  z.object({ what: z.literal("gate"), gate: z.string(), after, ...times }),
]);
const deliverOptions = z.object({
  order: z.enum(["chronological", "shuffled"]).exactOptional(),
  times: z.int().positive().exactOptional(),
  seed: z.number().exactOptional(),
  parallel: z.int().positive().exactOptional(),
  includeDelivered: z.boolean().exactOptional(),
  eventIds: z.array(id).exactOptional(),
});
const webhookSettings = z.object({
  url: z.string().exactOptional(),
  secret: z.string().exactOptional(),
  mode: z.enum(["at-once", "hold", "drop"]).exactOptional(),
});
const waitOptions = z.object({
  until: z.enum(["arrived", "processed"]).exactOptional(),
  timeoutMs: z.number().exactOptional(),
});
const message = z.object({
  rawBody: z.string(),
  signature: z.string().exactOptional(),
  eventId: z.string().nullable().exactOptional(),
});

type Command = (args: unknown) => unknown;

/** Reads the arguments of a function from a list in JSON. */
function command<Args extends z.ZodType>(args: Args, run: (args: z.output<Args>) => unknown): Command {
  return (sent) => {
    const parsed = args.safeParse(sent);
    if (parsed.success) return run(parsed.data);
    throw new Error(`these are not the arguments: ${z.prettifyError(parsed.error)}`);
  };
}

/**
 * The control object over HTTP, for benchmarks in another process: `POST /control/<function>` with the list of its
 * arguments as JSON, such as `POST /control/pay ["order_…"]` or `POST /control/webhooks.deliver [{"times":3}]`.
 */
export function serveControl(options: { control: Control; webhooks: Webhooks; faults: Faults }) {
  const { control, webhooks, faults } = options;
  const commands: Record<string, Command> = {
    pay: command(onOrder, (args) => control.pay(...args)),
    payAgain: command(onOrder, (args) => control.payAgain(...args)),
    startPayment: command(onOrder, (args) => control.startPayment(...args)),
    authorize: command(onOrder, (args) => control.authorize(...args)),
    fail: command(withReason, (args) => control.fail(...args)),
    authorizeNow: command(onOne, ([paymentId]) => control.authorizeNow(paymentId)),
    failNow: command(withReason, (args) => control.failNow(...args)),
    captureNow: command(onOne, ([paymentId]) => control.captureNow(paymentId)),
    returnUncaptured: command(onOne, ([paymentId]) => control.returnUncaptured(paymentId)),
    refundAtGateway: command(z.tuple([id, z.int().optional()]), (args) => control.refundAtGateway(...args)),
    holdRefunds: command(z.tuple([z.boolean()]), ([hold]) => control.holdRefunds(hold)),
    finishRefund: command(onOne, ([refundId]) => control.finishRefund(refundId)),
    failRefund: command(onOne, ([refundId]) => control.failRefund(refundId)),
    openDispute: command(z.tuple([id, newDispute.optional()]), (args) => control.openDispute(...args)),
    moveDispute: command(z.tuple([id, disputeStatus]), (args) => control.moveDispute(...args)),
    totals: command(nothing, () => control.totals()),
    capturedPayments: command(nothing, () => control.capturedPayments()),
    paymentsOf: command(onOne, ([orderId]) => control.paymentsOf(orderId)),
    ordersOf: command(onOne, ([receipt]) => control.ordersOf(receipt)),
    "webhooks.configure": command(z.tuple([webhookSettings]), ([change]) => webhooks.configure(change)),
    "webhooks.deliver": command(z.tuple([deliverOptions.optional()]), ([deliveryOptions]) =>
      webhooks.deliver(deliveryOptions),
    ),
    "webhooks.events": command(nothing, () => webhooks.events()),
    "webhooks.post": command(z.tuple([message]), ([one]) => webhooks.post(one)),
    "webhooks.untilIdle": command(nothing, () => webhooks.untilIdle()),
    "faults.add": command(z.tuple([faultRule]), ([rule]) => faults.add(rule)),
    "faults.clear": command(nothing, () => faults.clear()),
    "faults.release": command(onOne, ([gate]) => faults.release(gate)),
    "faults.count": command(
      z.tuple([z.custom<RequestName>((name) => typeof name === "string").optional()]),
      (args) => faults.count(...args),
    ),
    "faults.waitFor": command(z.tuple([match, waitOptions.optional()]), (args) => faults.waitFor(...args)),
  };

  return async (c: Context<object, "/control/:name">) => {
    const run = commands[c.req.param("name")];
    const body = await c.req.text();
    if (!run) return c.json({ problem: "there is no such function" }, 404);
    try {
      return c.json((await run(body === "" ? [] : JSON.parse(body))) ?? null);
    } catch (error) {
      return c.json({ problem: error instanceof Error ? error.message : String(error) }, 400);
    }
  };
}
