import { z } from "zod";
import { listServerCodes, selectListedServers } from "../access-codes/find-server-codes.server.ts";
import { listRecentReports } from "../access-codes/report-access-code.server.ts";
import { requireSignedIn } from "../authorise.ts";
import type { Context } from "../context.ts";
import { readToolCredential } from "../credentials/tool-credentials.server.ts";
import { parseInput } from "../parse.ts";
import {
  checkPageAccess,
  findExpiredPassEnd,
  findLastPass,
  findRenewedUntil,
  findRevokedPass,
  type PageTool,
} from "../passes/access.server.ts";
import { secretVersion } from "../vault/seal-secrets.ts";
import { type SayStep, type StepsOfUse, stepsOfUse, UNTAKEN_CODE } from "./rules.ts";

const inputSchema = z.object({ slug: z.string().min(1).max(80) });

export interface PageServer {
  id: string;
  name: string;
  url: string | null;
  /**
   * The version of the code that the server has now for the actor; `UNTAKEN_CODE` before the first reveal; null without a code.
   */
  codeVersion: string | null;
  /** When the actor reported this code, within the last hour. */
  reportedAt: Date | null;
  /** How many other buyers reported it within the last day. */
  otherReports: number;
}

interface PagePass {
  /** null: the pass has ended since the access was checked. */
  orderNumber: string | null;
  startsAt: Date;
  expiresAt: Date;
  /** End of the renewal that waits for the end of this pass; null: there is none. */
  renewedUntil: Date | null;
}

/** A tool page for one actor. It holds no codes and no credentials: each is revealed when the buyer asks for it. */
export type ToolPage =
  | {
      access: "granted";
      tool: Pick<PageTool, "name" | "slug" | "description" | "worksOn" | "launchUrl" | "onSale">;
      steps: StepsOfUse;
      /** The pass that ends last; null: access without an end, for free tools and admins. */
      pass: PagePass | null;
      /** Empty for a tool that has only a shared sign-in. */
      servers: PageServer[];
      /** Whether the actor may report codes: only a buyer with a pass. */
      canReport: boolean;
      /** null: the tool has no shared credentials. The version is null while none is active. */
      credential: { version: string | null } | null;
    }
  | RequiredPage;

interface RequiredPage {
  access: "required";
  toolName: string;
  /** When the last pass for the page expired; null without one. */
  passEndedAt: Date | null;
  /** The actor's pass that was cancelled or refunded since then; null without one. */
  revokedPass: { purchaseId: string; endedAt: Date } | null;
  /** Whether the tool is in the catalogue. */
  onSale: boolean;
}

/**
 * @param input `sayStep` writes the steps in the reader's language; they are in English without it
 * @throws DomainError 'unauthenticated', 'user-disabled', 'not-found'
 */
export async function getToolPage(
  ctx: Context,
  input: { slug: string; sayStep?: SayStep },
): Promise<ToolPage> {
  const { userId, kind, email } = requireSignedIn(ctx, "reads");
  const { slug } = parseInput(inputSchema, input);
  const checked = await checkPageAccess(ctx, ctx.db, slug);
  if (checked.access === "required") return readRequiredPage(ctx, { userId, tool: checked.tool });
  const { expiresAt } = checked;
  const tool = { ...checked.tool, servers: await selectListedServers(ctx.db, checked.tool) };
  const { name, description, worksOn, launchUrl, onSale } = tool;
  return {
    access: "granted",
    tool: { name, slug, description, worksOn, launchUrl, onSale },
    steps: stepsOfUse({ ...tool, accountEmail: email }, input.sayStep),
    pass: expiresAt && (await readPagePass(ctx, { userId, tool, expiresAt })),
    servers: await listPageServers(ctx, tool),
    canReport: kind === "user" && expiresAt !== null,
    credential: await readToolCredential(ctx.db, tool),
  };
}

async function readRequiredPage(ctx: Context, by: { userId: string; tool: PageTool }): Promise<RequiredPage> {
  const { name: toolName, onSale } = by.tool;
  const [passEndedAt, ended] = await Promise.all([
    findExpiredPassEnd(ctx, ctx.db, by),
    findRevokedPass(ctx, ctx.db, by),
  ]);
  const isLast = ended !== null && (passEndedAt === null || passEndedAt < ended.endedAt);
  return { access: "required", toolName, passEndedAt, revokedPass: isLast ? ended : null, onSale };
}

async function readPagePass(
  ctx: Context,
  by: { userId: string; tool: PageTool; expiresAt: Date },
): Promise<PagePass> {
  const { userId, tool, expiresAt } = by;
  const pass = await findLastPass(ctx, ctx.db, { userId, tool });
  return {
    orderNumber: pass?.orderNumber ?? null,
    startsAt: pass?.startsAt ?? expiresAt,
    expiresAt,
    renewedUntil: await findRenewedUntil(ctx, ctx.db, by),
  };
}

async function listPageServers(ctx: Context, tool: PageTool): Promise<PageServer[]> {
  const codes = await listServerCodes(ctx, ctx.db, tool);
  const reports = await listRecentReports(
    ctx,
    ctx.db,
    [...codes.values()].flatMap((code) => (code === "untaken" ? [] : code.accessCodeId)),
  );
  return tool.servers.map(({ id, name, url }) => {
    const code = codes.get(id);
    if (code === undefined || code === "untaken") {
      const codeVersion = code === undefined ? null : UNTAKEN_CODE;
      return { id, name, url, codeVersion, reportedAt: null, otherReports: 0 };
    }
    const codeVersion = secretVersion({ id: code.accessCodeId, changedAt: code.codeChangedAt });
    const { reportedAt = null, others: otherReports = 0 } = reports.get(code.accessCodeId) ?? {};
    return { id, name, url, codeVersion, reportedAt, otherReports };
  });
}
