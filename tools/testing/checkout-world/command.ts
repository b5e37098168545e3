import type { ErrorCode } from "#core/errors.ts";
import type { World } from "./world.ts";

/** One thing that somebody does. Numbers in it are taken round by what the world has, so that every command makes sense. */
export interface Command {
  /** Without the names that are only known when it is carried out. */
  words: string;
  /** What the shop may answer instead; any other error is a violation. */
  refusals?: readonly ErrorCode[];
  /** Milliseconds that pass before anything of its batch begins. */
  passesMs?: number;
  /**
   * @returns what came of it, for the reader of a failure; null when there was nothing to do it to
   * @throws Violation when the shop took what it must refuse
   */
  perform(world: World): Promise<string | null>;
}

/** The shop did what it must never do. */
export class Violation extends Error {
  override name = "Violation";
}
