import { readFileSync } from "node:fs";
import { z } from "zod";

/** The catalogue with which the shops of the tests are set up. */
export const catalogue = z
  .object({
    accessCodes: z.array(z.object({ toolSlug: z.string(), serverName: z.string(), simpleCode: z.string() })),
    credentials: z.array(z.object({ service: z.string(), email: z.string(), password: z.string() })),
  })
  .parse(JSON.parse(readFileSync(new URL("../../db/seed/demo-catalogue.json", import.meta.url), "utf8")));
/** The access codes of a tool, in the order of its servers. */
export const listCodes = (slug: string) => catalogue.accessCodes.filter(({ toolSlug }) => toolSlug === slug);
