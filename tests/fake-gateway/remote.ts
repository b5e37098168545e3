import { z } from "zod";
import type { Control } from "./control.ts";
import type { Faults } from "./faults.ts";
import type { Webhooks } from "./webhooks.ts";

type Remote<Functions> = {
  [Name in keyof Functions]: Functions[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never;
};

export type RemoteFakeGateway = Remote<Control> & {
  webhooks: Remote<Pick<Webhooks, "configure" | "deliver" | "events" | "post" | "untilIdle">>;
  faults: Remote<Pick<Faults, "add" | "clear" | "release" | "waitFor" | "count">>;
};

const refused = z.object({ problem: z.string() });

/**
 * The control functions of a fake gateway in another process. Each returns a promise.
 *
 * @param url as printed by run.ts
 */
export function connectFakeGateway(url: string): RemoteFakeGateway {
  return functionsBelow(url, "") as RemoteFakeGateway;
}

function functionsBelow(url: string, prefix: string): object {
  const call = async (name: string, args: unknown[]): Promise<unknown> => {
    const response = await fetch(`${url}/control/${prefix}${name}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(args),
    });
    const body: unknown = await response.json();
    if (response.ok) return body;
    throw new Error(
      refused.safeParse(body).data?.problem ?? `the control API responded with ${response.status}`,
    );
  };
  return new Proxy(
    {},
    {
      get: (_, name) => {
        // An object with `then` counts as a promise.
        if (typeof name !== "string" || name === "then") return undefined;
        if (prefix === "" && (name === "webhooks" || name === "faults"))
          return functionsBelow(url, `${name}.`);
        return (...args: unknown[]) => call(name, args);
      },
    },
  );
}
