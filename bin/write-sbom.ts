/**
 * `npm run sbom`: writes sbom/daypass.cdx.json, the packages that are installed here as CycloneDX (`npm sbom`), and
 * sbom/licences.txt, the same packages by licence. Fails when a package names none.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { isMain, ROOT } from "./run-command.ts";

const NONE = "no licence named";

const licence = z.union([
  z.object({ license: z.object({ id: z.string().optional(), name: z.string().optional() }) }),
  z.object({ expression: z.string() }),
]);
const bomSchema = z.object({
  components: z.array(
    z.object({ name: z.string(), version: z.string(), licenses: z.array(licence).default([]) }),
  ),
});

/** A line for each licence, with its packages; last the packages that name none. */
export function listLicences(bom: unknown): { text: string; unnamed: string[] } {
  const byLicence = new Map<string, string[]>();
  for (const { name, version, licenses } of bomSchema.parse(bom).components) {
    const named = licenses.map((one) =>
      "expression" in one ? one.expression : (one.license.id ?? one.license.name ?? NONE),
    );
    const key = named.join(" AND ") || NONE;
    byLicence.set(key, [...(byLicence.get(key) ?? []), `${name}@${version}`]);
  }
  const unnamed = byLicence.get(NONE) ?? [];
  byLicence.delete(NONE);
  const rows = [...byLicence].sort(([one], [other]) => (one < other ? -1 : 1));
  if (unnamed.length > 0) rows.push([NONE, unnamed]);
  return {
    text: rows
      .map(([key, packages]) => `${key} (${packages.length})\n  ${packages.sort().join("\n  ")}\n`)
      .join("\n"),
    unnamed,
  };
}

function writeSbom(): void {
  const folder = join(ROOT, "sbom");
  const bom = execFileSync("npm", ["sbom", "--sbom-format=cyclonedx", "--sbom-type=application"], {
    cwd: ROOT,
    maxBuffer: 64 * 1024 * 1024,
  }).toString();
  const { text, unnamed } = listLicences(JSON.parse(bom));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "daypass.cdx.json"), bom);
  writeFileSync(join(folder, "licences.txt"), text);
  console.log(`Written: ${folder}`);
  if (unnamed.length === 0) return;
  console.error(`These packages name no licence: ${unnamed.join(", ")}`);
  process.exitCode = 1;
}

if (isMain(import.meta.url)) writeSbom();
