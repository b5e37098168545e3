import type { ToolServer } from "#db/tables/catalog.ts";
import type { PageGrants, Tool } from "./queries.server.ts";

/** The columns of a tool that an admin sets, apart from servers and stock. */
type ToolColumns = Pick<
  Tool,
  | ("name" | "description" | "category" | "badge" | "isActive" | "contactOnly" | "features")
  | ("pricePaise" | "originalPricePaise" | "validityDays" | "pricingOptions" | "launchUrl")
  | ("credentialService" | "credentialId" | "howToUse" | "worksOn")
>;

export function pickToolColumns(tool: ToolColumns): ToolColumns {
  return {
    name: tool.name,
    description: tool.description,
    category: tool.category,
    badge: tool.badge,
    isActive: tool.isActive,
    contactOnly: tool.contactOnly,
    features: tool.features,
    pricePaise: tool.pricePaise,
    originalPricePaise: tool.originalPricePaise,
    validityDays: tool.validityDays,
    pricingOptions: tool.pricingOptions,
    launchUrl: tool.launchUrl,
    credentialService: tool.credentialService,
    credentialId: tool.credentialId,
    howToUse: tool.howToUse,
    worksOn: tool.worksOn,
  };
}

/** A tool in an audit event. */
export function toToolRecord(
  tool: ToolColumns & Pick<Tool, "servers" | "availableStock">,
  { pageNames, pageToolIds }: PageGrants,
) {
  const { servers, availableStock } = tool;
  const grants = { pageNames: pageNames.toSorted(), pageToolIds: pageToolIds.toSorted() };
  return { ...pickToolColumns(tool), servers, availableStock, ...grants };
}

/** Servers that keep their id and change their name. */
export function findRenamedServers(before: readonly ToolServer[], after: readonly ToolServer[]) {
  return before.flatMap(({ id, name }) => {
    const now = after.find((server) => server.id === id);
    return now === undefined || now.name === name ? [] : [{ from: name, to: now.name }];
  });
}
