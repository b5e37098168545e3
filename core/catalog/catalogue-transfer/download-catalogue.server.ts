import { z } from "zod";
import { lockEdits } from "#db/edit-lock.ts";
import { inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../../audit/record-audit.server.ts";
import { requireAdmin } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { checkbox } from "../../form-fields.ts";
import { parseInput, type UntrustedInput } from "../../parse.ts";
import { readShop } from "./read-shop.server.ts";
import { writeCatalogueFile } from "./write-catalogue-file.ts";

const inputSchema = z.object({ includeSecrets: checkbox });

export interface DownloadedCatalogue {
  /** The catalogue file, as docs/catalogue-file.md describes it. */
  text: string;
  /** Access codes that the file cannot have: no server of their tool has their name, or they are there twice. */
  leftOutAccessCodes: number;
}

/**
 * The catalogue file of the current shop. A fresh shop that is seeded with it has the same catalogue. With
 * `includeSecrets` it has the access codes and passwords, in plain text. Audited.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'invalid-input', 'password-needed' (with `includeSecrets`)
 */
export async function downloadCatalogue(
  ctx: Context,
  input: z.input<typeof inputSchema> | UntrustedInput,
): Promise<DownloadedCatalogue> {
  requireAdmin(ctx, "reads");
  const { includeSecrets } = parseInput(inputSchema, input);
  if (includeSecrets) requireAdmin(ctx, "reveals-secret");
  return inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    const shop = await readShop(ctx, tx);
    const { text, leftOut } = writeCatalogueFile(shop, includeSecrets ? ctx.ports.cipher : null);
    await recordAudit(ctx, tx, {
      action: "catalogue.downloaded",
      subjectType: "catalogue",
      details: { includeSecrets },
    });
    return { text, leftOutAccessCodes: leftOut };
  });
}
