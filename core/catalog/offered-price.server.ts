import { sql } from "drizzle-orm";
import { tools } from "#db/tables/catalog.ts";

/** The price of `toOfferedPrices`, for statements that sort by it or need nothing else. */
export const OFFERED_PRICE = sql<number>`coalesce((select min((priced ->> 'pricePaise')::int)
  from jsonb_array_elements(${tools.pricingOptions}) priced), ${tools.pricePaise})`;
