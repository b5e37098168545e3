import type { ToolServer } from "#db/tables/catalog.ts";
import { changedFields } from "../../audit/record-audit.server.ts";
import type { Cipher } from "../../ports.ts";
import { bySimpleCode, openPassword } from "../../vault/seal-secrets.ts";
import { findCredentialToKeep } from "../kept-credentials.ts";
import { DEFAULT_STORE_NAME } from "../store-settings.server.ts";
import type { CatalogueFile } from "./catalogue-file.ts";
import type { Shop } from "./read-shop.server.ts";

/** One entry of a catalogue file, compared with the current shop. */
export interface CatalogueChange {
  section: "store" | "tools" | "pages" | "coupons" | "accessCodes" | "credentials";
  /** Identifies the entry: a slug, a coupon's code, "canva / Server 1", "QuillBot / box@example.com". Never a secret. */
  key: string;
  /** What a person calls the entry: as the key, with the name of a tool in place of its slug. */
  name: string;
  kind: "added" | "changed" | "unchanged";
  /** What differs in a changed entry. Amounts in paise, days, times as ISO texts; secrets are hidden. */
  fields: { field: string; before: unknown; after: unknown }[];
}

/** What an upload does to the current shop. Each list has the entries of the file in its order. */
export interface CataloguePlan {
  changes: CatalogueChange[];
  /** The versions of the file's tools, in its order; null: the shop has no such tool. */
  toolVersions: (number | null)[];
  /** The tools that name a credential as their own, because the file adds or changes others that fit too. */
  keptCredentials: { toolName: string; email: string }[];
  /** Why the file does not fit this shop, such as names and servers that tools outside of the file have. */
  problems: string[];
}

const HIDDEN = "(hidden)";
const HIDDEN_NEW = "(hidden, new)";

type Fields = Readonly<Record<string, unknown>>;

type Entry = Pick<CatalogueChange, "section" | "key" | "name">;

function compare(entry: Entry, before: Fields | null, after: Fields): CatalogueChange {
  if (before === null) return { ...entry, kind: "added", fields: [] };
  const changed = changedFields(before, after);
  const shown = (value: unknown) => (value instanceof Date ? value.toISOString() : value);
  const fields = Object.keys(changed.after).map((field) => ({
    field,
    before: shown(changed.before[field]),
    after: shown(changed.after[field]),
  }));
  return { ...entry, kind: fields.length > 0 ? "changed" : "unchanged", fields };
}

/**
 * The file with what the shop keeps where a file says nothing about it: translations, and servers that hand out one code for each
 * buyer.
 */
export function withWhatIsKept(file: CatalogueFile, shop: Shop): CatalogueFile {
  const keep = (server: ToolServer): ToolServer =>
    shop.serversPerBuyer.has(server.id) ? { ...server, perBuyer: true } : server;
  return {
    ...file,
    store: { ...file.store, translations: file.store.translations ?? shop.store?.translations },
    tools: file.tools.map((tool) => ({
      ...tool,
      servers: tool.servers.map(keep),
      translations: tool.translations ?? shop.translations.get(tool.slug) ?? {},
    })),
  };
}

/** Compares a file with the current shop: tools by slug, coupons by code, access codes by simple code. */
export function planCatalogue(file: CatalogueFile, shop: Shop, cipher: Cipher): CataloguePlan {
  const toolNames = toolNamesOf(file, shop);
  return {
    changes: [
      compareStore(file, shop),
      ...compareTools(file, shop),
      ...comparePages(file, shop, toolNames),
      ...compareCoupons(file, shop),
      ...compareAccessCodes(file, shop, { cipher, toolNames }),
      ...compareCredentials(file, shop, cipher),
    ],
    toolVersions: findVersions(file, shop),
    keptCredentials: listKeptCredentials(file, shop),
    problems: [
      ...findConflicts(file, shop),
      ...findChangedKinds(file, shop, cipher),
      ...findUnnamedServices(file, shop),
    ],
  };
}

const STOCK = "availableStock";

/** A change of stock, of a tool that the shop has. */
interface StockChange {
  slug: string;
  name: string;
  before: unknown;
  after: unknown;
  /** Nothing else of the tool changes. */
  isAlone: boolean;
}

export function listStockChanges(changes: readonly CatalogueChange[]): StockChange[] {
  return changes.flatMap(({ section, key, name, fields }) => {
    const stock = section === "tools" ? fields.find(({ field }) => field === STOCK) : undefined;
    return stock === undefined
      ? []
      : [{ slug: key, name, before: stock.before, after: stock.after, isAlone: fields.length === 1 }];
  });
}

/** The same without changes of stock. Tools that are added keep the stock of the file. */
export function keepStock(changes: readonly CatalogueChange[]): CatalogueChange[] {
  return changes.map((change) => {
    if (change.section !== "tools" || change.kind !== "changed") return change;
    const fields = change.fields.filter(({ field }) => field !== STOCK);
    return { ...change, fields, kind: fields.length === 0 ? "unchanged" : "changed" };
  });
}

function findVersions(file: CatalogueFile, shop: Shop): (number | null)[] {
  const bySlug = new Map(shop.tools.map(({ slug, version }) => [slug, version]));
  return file.tools.map(({ slug }) => bySlug.get(slug) ?? null);
}

/** The names of tools by slug: from the file, and from the shop for the tools that the file leaves out. */
export function toolNamesOf(file: CatalogueFile, shop: Shop): ReadonlyMap<string, string> {
  return new Map([...shop.tools, ...file.tools].map(({ slug, name }) => [slug, name]));
}

/** What a shop shows whose settings nobody has saved. */
const UNSAVED_STORE: CatalogueFile["store"] = { name: DEFAULT_STORE_NAME, claims: {}, supportPhones: [] };

function compareStore(file: CatalogueFile, shop: Shop): CatalogueChange {
  const entry = { section: "store" as const, key: "store", name: "Your shop" };
  return compare(entry, toStoreFields(shop.store ?? UNSAVED_STORE), toStoreFields(file.store));
}

function toStoreFields(store: CatalogueFile["store"]): Fields {
  return {
    name: store.name,
    claims: store.claims,
    claimsAreExamples: store.claimsAreExamples ?? false,
    headline: store.headline ?? null,
    accent: store.accent ?? null,
    benefits: store.benefits ?? [],
    seller: store.seller ?? {},
    supportPhones: store.supportPhones,
    dealsChannel: store.dealsChannel ?? null,
    demoVideoUrl: store.demoVideoUrl ?? null,
    giveawayToolSlug: store.giveawayToolSlug ?? null,
    giveawayValidityDays: store.giveawayValidityDays ?? null,
    devices: store.devices ?? {},
    adminSessions: store.adminSessions ?? {},
    texts: store.texts ?? {},
    translations: store.translations ?? {},
  };
}

function compareTools(file: CatalogueFile, shop: Shop): CatalogueChange[] {
  const bySlug = new Map(shop.tools.map((tool) => [tool.slug, tool]));
  return file.tools.map((tool) => {
    const entry = { section: "tools" as const, key: tool.slug, name: tool.name };
    return compare(entry, toFields(bySlug.get(tool.slug)), { ...tool });
  });
}

const toFields = (record: object | undefined): Fields | null => (record === undefined ? null : { ...record });

function comparePages(
  file: CatalogueFile,
  shop: Shop,
  toolNames: ReadonlyMap<string, string>,
): CatalogueChange[] {
  return file.pages.map(({ page, toolSlugs, names }) => {
    const before = shop.pages.get(page);
    const after = { toolSlugs: toolSlugs.toSorted(), names: names.toSorted() };
    // A page without an entry has no grants, as a page with an empty entry.
    const isEmpty = toolSlugs.length + names.length === 0;
    const entry = { section: "pages" as const, key: page, name: toolNames.get(page) ?? page };
    return compare(entry, toFields(before ?? (isEmpty ? after : undefined)), after);
  });
}

function compareCoupons(file: CatalogueFile, shop: Shop): CatalogueChange[] {
  const byCode = new Map(shop.coupons.map((coupon) => [coupon.code, coupon]));
  return file.coupons.map((coupon) => {
    const entry = { section: "coupons" as const, key: coupon.code, name: coupon.code };
    return compare(entry, toFields(byCode.get(coupon.code)), { ...coupon });
  });
}

function compareAccessCodes(
  file: CatalogueFile,
  shop: Shop,
  { cipher, toolNames }: { cipher: Cipher; toolNames: ReadonlyMap<string, string> },
): CatalogueChange[] {
  const findRow = bySimpleCode(cipher, shop.accessCodes);
  return file.accessCodes.map(({ toolSlug, serverName, simpleCode, sessionCode, isActive }) => {
    const entry = {
      section: "accessCodes" as const,
      key: `${toolSlug} / ${serverName}`,
      name: `${toolNames.get(toolSlug) ?? toolSlug} / ${serverName}`,
    };
    const row = findRow(simpleCode);
    if (row === undefined) return compare(entry, null, {});
    const isNew = sessionCode !== undefined && cipher.lookupHash(sessionCode) !== row.sessionCodeHash;
    const before = {
      toolSlug: row.toolSlug,
      serverName: row.serverName.trim(),
      perBuyer: row.perBuyer,
      isActive: row.isActive,
    };
    // A code that a pass has taken stays with its server and its pass.
    const after = row.passId === null ? { toolSlug, serverName, perBuyer: row.perBuyer, isActive } : before;
    return compare(
      entry,
      { ...before, sessionCode: HIDDEN },
      { ...after, sessionCode: isNew ? HIDDEN_NEW : HIDDEN },
    );
  });
}

/** How a credential is found: the service, and the e-mail address in any case. */
export const credentialKey = ({ service, email }: { service: string; email: string }) =>
  `${service} / ${email.toLowerCase()}`;

function compareCredentials(file: CatalogueFile, shop: Shop, cipher: Cipher): CatalogueChange[] {
  const byKey = new Map(shop.credentials.map((row) => [credentialKey(row), row]));
  return file.credentials.map((entry) => {
    const name = `${entry.service} / ${entry.email}`;
    const compared = { section: "credentials" as const, key: name, name };
    const row = byKey.get(credentialKey(entry));
    if (row === undefined) return compare(compared, null, {});
    const isNew = openPassword(cipher, row) !== entry.password;
    return compare(
      compared,
      { email: row.email, isActive: row.isActive, password: HIDDEN },
      { email: entry.email, isActive: entry.isActive, password: isNew ? HIDDEN_NEW : HIDDEN },
    );
  });
}

/** Which sign-in tools keep when several fit their service. `applyCredentials` saves it. */
function listKeptCredentials(file: CatalogueFile, shop: Shop): CataloguePlan["keptCredentials"] {
  const keyed = <Row extends { service: string; email: string }>(row: Row) => ({
    ...row,
    id: credentialKey(row),
  });
  const before = shop.credentials.map(keyed);
  const given = new Map(file.credentials.map((entry) => [credentialKey(entry), keyed(entry)]));
  const known = new Set(before.map(({ id }) => id));
  const after = [
    ...before.map((row) => ({ ...row, ...given.get(row.id) })),
    ...[...given.values()].filter(({ id }) => !known.has(id)),
  ];
  const own = new Map(shop.tools.map(({ slug, credentialId }) => [slug, credentialId]));
  const inFile = new Set(file.tools.map(({ slug }) => slug));
  return [...file.tools, ...shop.tools.filter(({ slug }) => !inFile.has(slug))].flatMap(
    ({ slug, name, credentialService }) => {
      const tool = { credentialId: own.get(slug) ?? null, credentialService };
      const kept = findCredentialToKeep<(typeof after)[number]>(tool, before, after);
      return kept === null ? [] : [{ toolName: name, email: kept.email }];
    },
  );
}

/** A code for all buyers may be known to many: it cannot become a code for one. Nor does a code for one become one for all. */
function findChangedKinds(file: CatalogueFile, shop: Shop, cipher: Cipher): string[] {
  const findRow = bySimpleCode(cipher, shop.accessCodes);
  return file.accessCodes.flatMap(({ toolSlug, serverName, simpleCode, perBuyer }, index) => {
    const row = findRow(simpleCode);
    if (row === undefined || row.passId !== null || row.perBuyer === perBuyer) return [];
    const reason = row.perBuyer ? "" : ": buyers may have the code";
    const where = `accessCodes[${index}] "${toolSlug} / ${serverName}"`;
    return [`${where}: perBuyer must be ${row.perBuyer}, as it is in this shop${reason}`];
  });
}

/** 'Other' names no service: as in the form, no credential is added with it. Stored credentials with it keep it. */
function findUnnamedServices(file: CatalogueFile, shop: Shop): string[] {
  const stored = new Set(shop.credentials.map(credentialKey));
  return file.credentials.flatMap((entry, index) => {
    if (entry.service.toLowerCase() !== "other" || stored.has(credentialKey(entry))) return [];
    return [
      `credentials[${index}] "${entry.service} / ${entry.email}": service must be the name of the service, such as "Canva"`,
    ];
  });
}

/** Names and server ids are used once in a shop, also by tools that the file leaves out. */
function findConflicts(file: CatalogueFile, shop: Shop): string[] {
  const inFile = new Set(file.tools.map(({ slug }) => slug));
  const others = shop.tools.filter(({ slug }) => !inFile.has(slug));
  const names = new Map(others.map(({ name, slug }) => [name.toLowerCase(), slug]));
  const servers = new Map(
    others.flatMap((tool) => tool.servers.map(({ id }) => [id.toLowerCase(), tool.slug])),
  );
  return file.tools.flatMap((tool, index) => {
    const where = `tools[${index}] "${tool.slug}"`;
    const named = names.get(tool.name.toLowerCase());
    return [
      ...(named === undefined ? [] : [`${where}: name is already used by the tool "${named}" of this shop`]),
      ...tool.servers.flatMap(({ id }, at) => {
        const owner = servers.get(id.toLowerCase());
        return owner === undefined
          ? []
          : [`${where}: servers[${at}].id is already used by the tool "${owner}" of this shop`];
      }),
    ];
  });
}
