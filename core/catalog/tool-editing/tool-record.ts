import type { ToolServer, tools } from "#db/tables/catalog.ts";
import { TOOL_LIMITS } from "../limits.ts";
import { valuesOf } from "../record-fields.ts";
import { TOOL_FIELDS } from "../tool-fields.ts";
import type { PageGrants, Tool } from "./queries.server.ts";

/** A tool in an audit event. */
export function toToolRecord(tool: typeof tools.$inferInsert, { pageNames, pageToolIds }: PageGrants) {
  const { credentialId, logo } = tool;
  const grants = { pageNames: pageNames.toSorted(), pageToolIds: pageToolIds.toSorted() };
  return { ...valuesOf(TOOL_FIELDS, tool), credentialId, logo, ...grants };
}

/** Servers that keep their id and change their name. */
export function findRenamedServers(before: readonly ToolServer[], after: readonly ToolServer[]) {
  return before.flatMap(({ id, name }) => {
    const now = after.find((server) => server.id === id);
    return now === undefined || now.name === name ? [] : [{ from: name, to: now.name }];
  });
}

/** The part of a slug that a text gives: lower-case letters and digits, joined by hyphens. Empty when it has none. */
export function slugify(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, TOOL_LIMITS.slug)
    .replace(/^-|-$/g, "");
}

/** `wanted`, or with -2, -3 and so on when it is taken; never longer than a slug may be. */
export function makeUnique(wanted: string, isTaken: (slug: string) => boolean): string {
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? "" : `-${number}`;
    const slug = `${wanted.slice(0, TOOL_LIMITS.slug - suffix.length).replace(/-$/, "")}${suffix}`;
    if (!isTaken(slug)) return slug;
  }
}

/** The slug of a new tool, made from its name. */
export function makeToolSlug(name: string, isTaken: (slug: string) => boolean): string {
  return makeUnique(slugify(name) || "tool", isTaken);
}

interface WantedServer {
  id?: string | undefined;
  name: string;
  url: string | null;
}

/**
 * The servers to store. A server keeps its id, also when only its name is sent, and whether it hands out one code for each
 * buyer; a new one gets an id such as
 * "canva-server-2". A tool has a server or a shared sign-in, because a pass has to open something: without `wanted` it keeps
 * those that it has, or gets one when it has no sign-in.
 *
 * @param tool the servers that are wanted, and the sign-in
 * @param known the servers that the tool has now
 * @param isTaken whether another tool has a server with this id
 */
export function assignServerIds(
  slug: string,
  {
    servers: wanted,
    credentialId = null,
    credentialService = null,
  }: { servers: readonly WantedServer[] } & Partial<Pick<Tool, "credentialId" | "credentialService">>,
  known: readonly ToolServer[],
  isTaken: (id: string) => boolean,
): ToolServer[] {
  const needsNone = known.length > 0 || credentialId !== null || credentialService !== null;
  if (wanted.length === 0 && needsNone) return [...known];
  const free = new Map(known.map((server) => [server.id, server.name.trim().toLowerCase()]));
  const claim = (id: string | undefined) => (id !== undefined && free.delete(id) ? id : undefined);
  const servers = wanted.length > 0 ? wanted : [{ name: "Server 1", url: null }];
  // Ids first: a renamed server may have the former name of another server.
  const claimedById = servers.map(({ id }) => claim(id));
  const claimed = servers.map(
    ({ name }, at) =>
      claimedById[at] ?? claim([...free].find(([, known]) => known === name.trim().toLowerCase())?.[0]),
  );
  const used = new Set(known.map(({ id }) => id));
  return servers.map(({ name, url }, at) => {
    const base = `${slug.slice(0, TOOL_LIMITS.slug - 14)}-server-${at + 1}`;
    const id = claimed[at] ?? makeUnique(base, (candidate) => used.has(candidate) || isTaken(candidate));
    used.add(id);
    const perBuyer = known.find((server) => server.id === id)?.perBuyer;
    return { id, name, url, ...(perBuyer && { perBuyer }) };
  });
}
