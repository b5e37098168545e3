import { createInterface } from "node:readline/promises";
import { isatty } from "node:tty";
import { ConfigurationError } from "../env.ts";

/**
 * Asks the person at the terminal a question that is answered with yes or no. Null: there is no terminal. `flags`: of the command
 * line, by which a script answers.
 */
export interface AskOwner {
  flags: readonly string[];
  ask: ((question: string) => Promise<string>) | null;
}

const KNOWN_FLAGS: readonly string[] = ["--yes", "--make-admin"];

/**
 * Asks on the terminal of this process.
 *
 * @throws ConfigurationError for an argument that no command has: an address that is typed behind a command must not be
 *   ignored
 */
export function createAskOwner(flags: readonly string[]): AskOwner {
  const unknown = flags.find((flag) => !KNOWN_FLAGS.includes(flag));
  if (unknown !== undefined)
    throw new ConfigurationError(
      `The argument ${unknown} is unknown, and nothing was changed. Settings are variables: ADMIN_EMAIL names the account of admin:reset.`,
    );
  if (!isatty(0) || !isatty(1)) return { flags, ask: null };
  return {
    flags,
    ask: async (question) => {
      const terminal = createInterface({ input: process.stdin, output: process.stdout });
      try {
        return await terminal.question(question);
      } finally {
        terminal.close();
      }
    },
  };
}

/**
 * Goes on only when the owner has agreed, on the terminal or by a flag.
 *
 * @throws ConfigurationError
 */
export async function requireYes(
  { flags, ask }: AskOwner,
  { question, flag }: { question: string; flag: string },
): Promise<void> {
  if (flags.includes(flag)) return;
  if (ask === null) {
    throw new ConfigurationError(
      `${question} To agree without a terminal, add -- ${flag}. Nothing was changed.`,
    );
  }
  const answer = await ask(`\n  ${question}\n  Type yes to continue: `);
  if (answer.trim().toLowerCase() !== "yes") throw new ConfigurationError("Nothing was changed.");
}
