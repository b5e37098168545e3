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
  webhooks: Remote<Pick<Webhooks, "configure" | "deliver" | "events" | "post" | "settled">>;
  faults: Remote<Pick<Faults, "add" | "clear" | "release" | "waitFor" | "count">>;
};

const refused = z.object({ problem: z.string() });

/**
 * The control object of a fake gateway in another process: the same functions, each answering with a promise.
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
    const answer: unknown = await response.json();
    if (response.ok) return answer;
    throw new Error(refused.safeParse(answer).data?.problem ?? `answered ${response.status}`);
  };
  return new Proxy(
    {},
    {
      get: (_, name) => {
        // A promise is what has a `then`; this is none.
        if (typeof name !== "string" || name === "then") return undefined;
        if (prefix === "" && (name === "webhooks" || name === "faults"))
          return functionsBelow(url, `${name}.`);
        return (...args: unknown[]) => call(name, args);
      },
    },
  );
}
