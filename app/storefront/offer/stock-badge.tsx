import { LOW_STOCK } from "#core/catalog/limits.ts";
import { Badge } from "../../ui/badge.tsx";

/** How many passes are left. Few of them stand out. */
export function StockBadge({ stock }: { stock: number }) {
  return <Badge tone={stock < LOW_STOCK ? "marigold" : "neutral"}>{stock} left</Badge>;
}
