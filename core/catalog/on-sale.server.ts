import { and, eq, isNotNull, isNull, or, type SQL, sql } from "drizzle-orm";
import { tools } from "#db/tables/catalog.ts";
import { accessCodes, credentials } from "#db/tables/vault.ts";
import { matchCredential } from "./credential-match.server.ts";
import { OFFERED_PRICE } from "./offered-price.server.ts";

/* Conditions on the row of a tool, for any query that has `tools` under its own name. */

const hasActiveCode = sql`exists (
  select 1 from ${accessCodes}
  where ${accessCodes.toolId} = ${tools.id} and ${accessCodes.isActive} and exists (
    select 1 from jsonb_array_elements(${tools.servers}) server
    where lower(btrim(server ->> 'name')) = lower(btrim(${accessCodes.serverName}))
  )
)`;

const { fits, rank } = matchCredential(tools);

/** The rule of `findToolCredential`: of the best rank, there is exactly one. */
const hasCredential = and(
  or(isNotNull(tools.credentialId), isNotNull(tools.credentialService)),
  sql`(
    select count(*) = 1 from (
      select rank() over (order by ${rank}) as place from ${credentials} where ${fits}
    ) fitting where place = 1
  )`,
);

const hasLaunchPage = or(
  isNotNull(tools.launchUrl),
  sql`jsonb_path_exists(${tools.servers}, '$[*].url ? (@ != null)')`,
);

/**
 * Whether the pass of a tool would open something: a code, a credential or an address. Tools that are free or sold by
 * chat only need none.
 */
export const IS_READY: SQL<boolean> = sql`(${or(
  eq(tools.contactOnly, true),
  eq(OFFERED_PRICE, 0),
  hasLaunchPage,
  hasActiveCode,
  hasCredential,
)})`;

/** Whether the shop shows and sells a tool. Holds and passes of a tool that is not on sale continue. */
export const IS_ON_SALE: SQL<boolean> = sql`(${and(
  eq(tools.isActive, true),
  isNull(tools.deletedAt),
  or(eq(tools.sellsWhenNotReady, true), IS_READY),
)})`;
