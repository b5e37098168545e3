import { z } from "zod";
import { listAccessCodes } from "#core/access-codes/list-access-codes.server.ts";
import {
  addSeveralAccessCodes,
  createAccessCode,
  deleteAccessCode,
  draftSessionCode,
  revealAccessCodeToAdmin,
  updateAccessCode,
} from "#core/access-codes/manage-access-codes.server.ts";
import { listToolChoices } from "#core/catalog/list-tool-choices.server.ts";
import { messageForCode } from "../../middleware/error-messages.ts";
import { adminAction } from "../forms/admin-action.server.ts";
import { callAdminAction } from "../forms/admin-result.ts";
import { ForAdmin } from "../lists/for-admin.tsx";
import { ListFailure } from "../lists/list-failure.tsx";
import { loadForAdmin } from "../lists/load-list.server.ts";
import type { Route } from "./+types/access-codes";
import { AccessCodesScreen } from "./access-codes-screen.tsx";

export function loader(args: Route.LoaderArgs) {
  return loadForAdmin(args, async (ctx, input) => {
    const [list, tools] = await Promise.all([listAccessCodes(ctx, input), listToolChoices(ctx)]);
    return { list, tools };
  });
}

const DELETE_REFUSALS = ["not-found", "invalid-input"] as const;

const notDeleted = (reason: string) => `Failed to delete access code: ${reason}`;

const deletedSchema = z.object({ waitingPasses: z.number() });

function describeDeleted(value: unknown): string {
  const { waitingPasses } = deletedSchema.parse(value);
  if (waitingPasses === 0) return "Access code deleted.";
  const passes =
    waitingPasses === 1 ? "1 buyer of this tool waits" : `${waitingPasses} buyers of this tool wait`;
  return `Access code deleted. ${passes} for a code now: add one for each.`;
}

export const action = adminAction({
  create: { run: createAccessCode, done: "Access code added.", failed: "Failed to add access code" },
  update: { run: updateAccessCode, done: "Access code updated.", failed: "Failed to update access code" },
  delete: {
    run: deleteAccessCode,
    done: describeDeleted,
    failed: notDeleted("Unknown error"),
    refusals: Object.fromEntries(
      DELETE_REFUSALS.map((code) => [code, notDeleted(messageForCode(code))] as const),
    ),
  },
  "add-several": { run: addSeveralAccessCodes, done: null, failed: "Failed to add access codes" },
  "draft-session-code": { run: draftSessionCode, done: null, failed: "Failed to generate a session code" },
  reveal: { run: revealAccessCodeToAdmin, done: null, failed: "Failed to open the access code" },
});

export const clientAction = callAdminAction;

export default function AccessCodes({ loaderData }: Route.ComponentProps) {
  return <ForAdmin data={loaderData}>{(data) => <AccessCodesScreen {...data} />}</ForAdmin>;
}

export function ErrorBoundary() {
  return <ListFailure message="Failed to fetch access codes" />;
}
