import type { ToolServer } from "#db/tables/catalog.ts";

/** A redeemed server on a device. */
export interface DeviceSession {
  id: string;
  toolName: string;
  toolSlug: string;
  serverName: string;
  /** Where the buyer continues: the server's own address, else the tool's; null: the tool's page in the shop. */
  launchUrl: string | null;
  /** When the pass expires; null for access without an end. */
  endsAt: Date | null;
}

interface SessionParts {
  tool: { name: string; slug: string; launchUrl: string | null };
  server: ToolServer;
  expiresAt: Date | null;
}

export function sessionOf(id: string, { tool, server, expiresAt }: SessionParts): DeviceSession {
  return {
    id,
    toolName: tool.name,
    toolSlug: tool.slug,
    serverName: server.name,
    launchUrl: server.url ?? tool.launchUrl,
    endsAt: expiresAt,
  };
}
