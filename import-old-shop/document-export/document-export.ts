import { mkdtemp, open, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { DocumentExportError, type ExportFile, type OldExport } from "../source.ts";
import { findCollections } from "./collections.ts";
import { type Place, readDocuments } from "./documents.ts";
import { unpackZip } from "./unpack-zip.ts";

const COLLECTION_FILE = /\.(?:json|ndjson|jsonl)$/i;
/** The file that says how passwords are hashed, as JSON or as the text that the console of the hosted service shows. */
const HASH_CONFIG = /(?:^|\/)(?:password[-_ ]?)?hash[-_ ]?(?:config|parameters)(?:\.(?:json|txt))?$/i;
const MAX_SETTINGS_BYTES = 1024 * 1024;
/** More is no export, but some other folder. */
const MAX_FILES = 10_000;

/** A file of the export; `file` is where it is on the disk. */
interface Found {
  path: string;
  file: string;
}

export interface DocumentExportOptions {
  /** Whether a name belongs to a collection of the shop: tells a file with all collections from a file with documents by id. */
  isCollection: (name: string) => boolean;
  /** How the path of the new folder begins into which a zip is unpacked. Default: in the system's folder for temporary files. */
  unpackInto?: string;
  signal?: AbortSignal;
}

/**
 * Opens an export of documents: a folder or a zip with files at its top and one level below. A folder that holds nothing
 * but one folder is passed.
 *
 * @throws DocumentExportError
 */
export async function openDocumentExport(path: string, options: DocumentExportOptions): Promise<OldExport> {
  const { signal } = options;
  const info = await stat(path).catch(() => {
    throw new DocumentExportError(`There is no folder or zip ${path}.`);
  });
  if (info.isDirectory()) return describe(await listFolder(path), options, () => Promise.resolve());
  if (!info.isFile()) throw new DocumentExportError(`${path} is no folder and no zip.`);
  const folder = await mkdtemp(options.unpackInto ?? join(tmpdir(), "old-shop-"));
  const close = () => rm(folder, { recursive: true, force: true });
  try {
    const unpacked = await unpackZip(path, folder, (one) => whyIgnored(one) === null, signal);
    return await describe(unpacked, options, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function describe(
  listed: { path: string; file: string | null; why?: string }[],
  { isCollection, signal }: DocumentExportOptions,
  close: () => Promise<void>,
): Promise<OldExport> {
  const files: ExportFile[] = [];
  const ignored: { path: string; why: string }[] = [];
  const incomplete: string[] = [];
  const readable: Found[] = [];
  let hashConfig: Found | undefined;
  const top = commonFolder(listed.map(({ path }) => path));
  for (const { path, file, why } of listed.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const reason =
      why ?? whyIgnored(path) ?? (isTooDeep(path, top) ? "it lies in more than one folder" : null);
    if (reason === null && file !== null && HASH_CONFIG.test(path)) hashConfig ??= { path, file };
    else if (reason !== null || file === null) ignored.push({ path, why: reason ?? "it was not unpacked" });
    else readable.push({ path, file });
  }
  for (const { path, file } of readable) {
    signal?.throwIfAborted();
    const contents = /\.json$/i.test(path)
      ? await findCollections(file, isCollection)
      : await findLines(file, isCollection);
    const add = (name: string, place: Place, where = path) =>
      files.push({ name, path, read: () => readDocuments(file, where, place) });
    if ("hasMore" in contents) incomplete.push(path);
    if (contents.kind === "none") ignored.push({ path, why: contents.why });
    else if (contents.kind === "one") add(collectionName(path, contents.key, isCollection), contents.place);
    else {
      for (const { name, place } of contents.collections) add(name, place, `${path}, ${name}`);
      for (const key of contents.ignored)
        ignored.push({ path: `${path}, ${key}`, why: "it holds no list and no map of documents" });
    }
  }
  return { files, ignored, incomplete, readHashConfig: () => readSettings(hashConfig), close };
}

/** The contents of a file with a document on each line, unless it is a list after all. */
async function findLines(file: string, isCollection: (name: string) => boolean) {
  const contents = await findCollections(file, isCollection);
  if (contents.kind === "one" && contents.key === null && contents.place.kind === "value") return contents;
  return { kind: "one", key: null, place: { kind: "lines" } } as const;
}

/** The name of the file, or the name of its folder or of the key above the documents when only that one is known. */
function collectionName(path: string, key: string | null, isCollection: (name: string) => boolean): string {
  const name = posix.basename(path).replace(COLLECTION_FILE, "");
  const others = [posix.basename(posix.dirname(path)), key ?? ""];
  return [name, ...others].find(isCollection) ?? name;
}

function whyIgnored(path: string): string | null {
  const parts = path.split("/");
  if (parts.some((part) => part.startsWith(".") || part === "__MACOSX")) return "it is hidden";
  if (/\.(?:zip|gz|tgz|rar|7z)$/i.test(path)) return "it is packed: unpack it first";
  if (!COLLECTION_FILE.test(path) && !HASH_CONFIG.test(path))
    return "it does not end in .json, .ndjson or .jsonl";
  return null;
}

/** The folders that all files are below, such as "backup/": "" when there is none. */
function commonFolder(paths: string[]): string {
  const [first = "", ...others] = paths.filter((path) => whyIgnored(path) !== "it is hidden");
  let common = "";
  for (const part of first.split("/").slice(0, -1)) {
    if (!others.every((path) => path.startsWith(`${common}${part}/`))) break;
    common += `${part}/`;
  }
  return common;
}

const isTooDeep = (path: string, top: string) => path.slice(top.length).split("/").length > 2;

/** Links are not followed, so that nothing outside of the folder is read. */
async function listFolder(folder: string) {
  const listed: { path: string; file: string; why?: string }[] = [];
  const pending = [""];
  for (let below = pending.pop(); below !== undefined; below = pending.pop()) {
    for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
      const path = `${below}${entry.name}`;
      if (entry.isDirectory()) pending.push(`${path}/`);
      else
        listed.push({ path, file: join(folder, path), ...(entry.isFile() ? {} : { why: "it is no file" }) });
      if (listed.length + pending.length > MAX_FILES)
        throw new DocumentExportError(`${folder} has more than 10,000 files: it is no export of a shop.`);
    }
  }
  return listed;
}

async function readSettings(found: Found | undefined): Promise<string | null> {
  if (found === undefined) return null;
  const handle = await open(found.file);
  try {
    const { size } = await handle.stat();
    if (size > MAX_SETTINGS_BYTES) throw new DocumentExportError(`${found.path} is larger than 1 MB.`);
    return (await handle.readFile("utf8")).replace(/^\uFEFF/, "");
  } finally {
    await handle.close();
  }
}
