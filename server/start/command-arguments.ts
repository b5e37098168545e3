import { ConfigurationError } from "../env.ts";

/**
 * Splits the arguments of a command that takes one path.
 *
 * @param options.flags the flags that the command knows
 * @param options.run the flag by which a shop that starts the command gives the id of the run, with its equals sign
 * @param options.one what the path is, for the message about a second one
 * @returns null when the help is asked for
 * @throws ConfigurationError
 */
export function splitArguments(
  args: readonly string[],
  { flags, run, one }: { flags: readonly string[]; run?: string; one: string },
): { path: string | undefined; flags: ReadonlySet<string>; runId: string | null } | null {
  if (args.includes("--help") || args.includes("-h")) return null;
  const isRun = (arg: string) => run !== undefined && arg.startsWith(run);
  const unknown = args.find((arg) => arg.startsWith("-") && !flags.includes(arg) && !isRun(arg));
  if (unknown !== undefined)
    throw new ConfigurationError(`The argument ${unknown} is unknown, and nothing was changed.`);
  const [path, second] = args.filter((arg) => !arg.startsWith("-"));
  if (second !== undefined && path !== undefined)
    throw new ConfigurationError(`Name one ${one}, not also ${second}. Nothing was changed.`);
  return { path, flags: new Set(args), runId: args.find(isRun)?.slice(run?.length) ?? null };
}
