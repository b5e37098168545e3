import { eq, sql } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { couponCodes } from "#db/tables/catalog.ts";
import { accessCodes, credentials } from "#db/tables/vault.ts";
import { changed } from "#db/transaction.ts";
import type { Context } from "../../context.ts";
import { openAccessCode, openPassword, sealCodesOfRow, sealPassword } from "../../vault/seal-secrets.ts";
import { recountStock } from "../code-stock.server.ts";
import {
  getToolId,
  insertAccessCodes,
  insertCoupons,
  insertCredentials,
  type ToolIds,
} from "../insert-catalogue.server.ts";
import {
  markServersPerBuyer,
  refuseMixedCodes,
  selectToolsWithCodesPerBuyer,
} from "../server-kinds.server.ts";
import { entriesWith, type Upload } from "./apply-tools.server.ts";
import { credentialKey } from "./catalogue-plan.ts";

/** Adds and changes the coupons of the file. Their uses stay. */
export async function applyCoupons(
  ctx: Context,
  tx: Transaction,
  upload: Upload,
  ids: ToolIds,
): Promise<void> {
  const { file, shop } = upload;
  await insertCoupons(tx, entriesWith(upload, "coupons", "added", file.coupons), ids);
  const byCode = new Map(shop.coupons.map((coupon) => [coupon.code.toUpperCase(), coupon]));
  for (const coupon of entriesWith(upload, "coupons", "changed", file.coupons)) {
    const before = byCode.get(coupon.code);
    if (before === undefined) continue;
    await tx
      .update(couponCodes)
      .set({
        toolId: getToolId(ids, coupon.toolSlug),
        discountPercentage: coupon.discountPercentage,
        usageLimit: coupon.usageLimit ?? null,
        expiresAt: coupon.expiresAt ?? null,
        isActive: coupon.isActive,
        version: sql`${couponCodes.version} + 1`,
        updatedAt: ctx.clock.now(),
      })
      .where(eq(couponCodes.id, before.id));
    changed(tx, couponCodes);
  }
}

/** Adds and changes the access codes of the file. A code without a session code keeps the one that it has. */
export async function applyAccessCodes(
  ctx: Context,
  tx: Transaction,
  upload: Upload,
  ids: ToolIds,
): Promise<void> {
  const { file, shop } = upload;
  const { cipher } = ctx.ports;
  const added = entriesWith(upload, "accessCodes", "added", file.accessCodes);
  await insertAccessCodes(ctx, tx, added, { file, ids });
  const byHash = new Map(shop.accessCodes.map((code) => [code.simpleCodeHash, code]));
  for (const code of entriesWith(upload, "accessCodes", "changed", file.accessCodes)) {
    const before = byHash.get(cipher.lookupHash(code.simpleCode));
    if (before === undefined) continue;
    const { simpleCode, sessionCode = openAccessCode(cipher, before).sessionCode } = code;
    await tx
      .update(accessCodes)
      .set({
        ...sealCodesOfRow(cipher, before.id, { simpleCode, sessionCode }),
        // A code that a pass has taken stays as it is: the pass may have another one since.
        ...(before.passId === null && {
          toolId: getToolId(ids, code.toolSlug),
          serverName: code.serverName,
          isActive: code.isActive,
        }),
        version: sql`${accessCodes.version} + 1`,
        updatedAt: ctx.clock.now(),
      })
      .where(eq(accessCodes.id, before.id));
    changed(tx, accessCodes);
  }
  const counted = new Set(await selectToolsWithCodesPerBuyer(tx));
  for (const id of counted) await markServersPerBuyer(tx, id);
  const servers = file.tools.flatMap((tool) =>
    tool.servers
      .filter((server) => server.perBuyer)
      .map(({ name }) => ({ toolSlug: tool.slug, serverName: name, perBuyer: true })),
  );
  for (const { toolSlug, ...server } of [...servers, ...file.accessCodes.filter((code) => code.isActive)]) {
    const toolId = getToolId(ids, toolSlug);
    if (counted.has(toolId)) await refuseMixedCodes(tx, { ...server, toolId });
  }
  for (const id of counted) await recountStock(ctx, tx, id);
}

/** Adds and changes the credentials of the file. */
export async function applyCredentials(ctx: Context, tx: Transaction, upload: Upload): Promise<void> {
  const { file, shop } = upload;
  await insertCredentials(ctx, tx, entriesWith(upload, "credentials", "added", file.credentials));
  const byKey = new Map(shop.credentials.map((row) => [credentialKey(row), row]));
  for (const entry of entriesWith(upload, "credentials", "changed", file.credentials)) {
    const before = byKey.get(credentialKey(entry));
    if (before === undefined) continue;
    const now = ctx.clock.now();
    const signInChanged =
      before.email !== entry.email || openPassword(ctx.ports.cipher, before) !== entry.password;
    await tx
      .update(credentials)
      .set({
        email: entry.email,
        ...(signInChanged && { signInChangedAt: now }),
        passwordSealed: sealPassword(ctx.ports.cipher, before.id, entry.password),
        isActive: entry.isActive,
        version: sql`${credentials.version} + 1`,
        updatedAt: now,
      })
      .where(eq(credentials.id, before.id));
    changed(tx, credentials);
  }
}
