import { readFileSync } from "node:fs";
import type { Hono } from "hono";
import { describeShareImage, type ShareImageContent } from "#app/storefront/seo/share-image.server.ts";
import { findLogo } from "#core/catalog/logos/tool-logos.server.ts";
import { listActiveTools } from "#core/catalog/on-sale.server.ts";
import { FairQueue } from "#core/concurrency.ts";
import type { Context } from "#core/context.ts";
import { limitKeyOfAddress } from "#core/rate-limits/network.ts";
import { ONE_YEAR } from "./files.ts";
import type { PageParts } from "./pages.ts";
import { type AppEnv, requireRequest } from "./request-scope.ts";
import type { ShareImage, SharePng } from "./share-image-worker.ts";

/** An image has 25 to 100 KB, so all are 20 MB at most. */
const MOST_IMAGES = 200;
/** WhatsApp shows no larger one. */
const MOST_BYTES = 300 * 1024;
/** Images that wait to be drawn. */
const MOST_WAITING = 50;
const LONGEST_WAIT_MS = 10_000;

type Draw = (image: ShareImage) => Promise<SharePng | null>;

/** The drawing is loaded with the first image. */
const drawWhenAsked: Draw = async (image) => (await import("./share-image-worker.ts")).drawInWorker(image);

/**
 * GET /share/<slug>-<hash>.png: the picture that chat apps show of the link to a tool. One image is drawn at a time, and is kept;
 * requests for the same one share it. Whatever goes wrong, the answer is the general picture, which nobody keeps.
 */
export function mountShareImages(
  app: Hono<AppEnv>,
  visitorContext: PageParts["visitorContext"],
  generalPicture: string,
  draw = drawWhenAsked,
): void {
  const general = readFileSync(generalPicture);
  /** By path. null: it cannot be drawn. */
  const images = new Map<string, Promise<SharePng | null>>();
  const turns = new FairQueue(1, MOST_WAITING);

  async function drawInTurn(ctx: Context, content: ShareImageContent, client: string) {
    const leave = await turns.enter(client, AbortSignal.timeout(LONGEST_WAIT_MS));
    if (leave === null) throw new Error("too many share images wait to be drawn");
    try {
      const logo = content.logo?.endsWith(".png") ? await findLogo(ctx, content.logo) : null;
      const image = await draw({ ...content, logo });
      return image !== null && image.length <= MOST_BYTES ? image : null;
    } finally {
      leave();
    }
  }

  /** null: the path is not the one of a tool on sale as it is now, or the image cannot be drawn. */
  async function findImage(ctx: Context, path: string, client: string): Promise<SharePng | null> {
    const slug = /^\/share\/([a-z0-9-]+)-[0-9a-f]{16}\.png$/.exec(path)?.[1];
    const tool = (await listActiveTools(ctx)).find((one) => one.slug === slug);
    if (tool === undefined) return null;
    const described = await describeShareImage(ctx, tool);
    if (described.path !== path) return null;
    const known = images.get(path);
    if (known) return known;
    const image = drawInTurn(ctx, described.content, client);
    const [oldest] = images.keys();
    if (images.size >= MOST_IMAGES && oldest !== undefined) images.delete(oldest);
    images.set(path, image);
    // It is tried again with the next request.
    image.catch(() => images.delete(path));
    return image;
  }

  app.get("/share/:name", async (c) => {
    const { address, log, requestId } = requireRequest();
    const ctx = visitorContext(c.req.raw, address, log, requestId);
    const image = await findImage(ctx, c.req.path, limitKeyOfAddress(address)).catch((error: unknown) => {
      log.warn({ err: error }, "the general picture was sent instead of a share image");
      return null;
    });
    const content = image ?? general;
    return new Response(content, {
      headers: {
        "content-type": "image/png",
        "content-length": String(content.length),
        "cache-control": image === null ? "no-store" : ONE_YEAR,
      },
    });
  });
}
