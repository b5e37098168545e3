import { z } from "zod";
import { listServerCodes, selectListedServers } from "../access-codes/find-server-codes.server.ts";
import { listRecentReports } from "../access-codes/report-access-code.server.ts";
import { type AuthorisedContext, requireSignedIn } from "../authorise.ts";
import { inReadersLanguage } from "../catalog/translations.ts";
import type { Context } from "../context.ts";
import { readToolCredential } from "../credentials/tool-credentials.server.ts";
import { parseInput } from "../parse.ts";
import {
  type GrantedAccess,
  type PageTool,
  type RequiredAccess,
  readPageAccess,
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

/** A tool page for one actor. It holds no codes and no credentials: each is revealed when the buyer asks for it. */
export type ToolPage =
  | {
      access: "granted";
      tool: Pick<PageTool, "name" | "slug" | "description" | "worksOn" | "launchUrl" | "onSale">;
      steps: StepsOfUse;
      pass: GrantedAccess["pass"];
      /** Empty for a tool that has only a shared sign-in. */
      servers: PageServer[];
      /** Whether the actor may report codes: only a buyer with a pass. */
      canReport: boolean;
      /** null: the tool has no shared credentials. The version is null while none is active. */
      credential: { version: string | null } | null;
    }
  | RequiredPage;

interface RequiredPage extends Pick<RequiredAccess, "access" | "passEndedAt" | "revokedPass"> {
  toolName: string;
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
  requireSignedIn(ctx, "reads");
  const { kind, email } = ctx.actor;
  const { slug } = parseInput(inputSchema, input);
  const page = await readPageAccess(ctx, ctx.db, slug);
  const read = inReadersLanguage(ctx, page.tool);
  if (page.access === "required") {
    const { access, passEndedAt, revokedPass } = page;
    return { access, toolName: read.name, passEndedAt, revokedPass, onSale: page.tool.onSale };
  }
  const { pass, passIds } = page;
  const tool = { ...page.tool, servers: await selectListedServers(ctx.db, page.tool) };
  const { name, description, worksOn, launchUrl, onSale } = read;
  return {
    access: "granted",
    tool: { name, slug, description, worksOn, launchUrl, onSale },
    steps: stepsOfUse({ ...read, servers: tool.servers, accountEmail: email }, input.sayStep),
    pass,
    servers: await listPageServers(ctx, { tool, passIds }),
    canReport: kind === "user" && pass !== null,
    credential: await readToolCredential(ctx.db, tool),
  };
}

async function listPageServers(
  ctx: AuthorisedContext,
  { tool, passIds }: Pick<GrantedAccess, "tool" | "passIds">,
): Promise<PageServer[]> {
  const codes = await listServerCodes(ctx.db, { tool, passIds });
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
