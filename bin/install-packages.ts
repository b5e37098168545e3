import { spawnSync } from "node:child_process";
import { run } from "./run-command.ts";

/** Installs packages of the system where apt-get is allowed to. Does not throw: afterwards look for what is needed. */
export async function installPackages(names: readonly string[], log: (line: string) => void): Promise<void> {
  const apt = aptGetCommand();
  if (!apt) return;
  log(`Installing with apt-get: ${names.join(" ")}`);
  const [command, ...prefix] = apt;
  const limits = { env: { DEBIAN_FRONTEND: "noninteractive" }, limitSeconds: 600 };
  const updated = await run(command, [...prefix, "update"], limits);
  if (updated !== 0) log("The list of packages could not be updated; trying with the present one.");
  await run(command, [...prefix, "install", "-y", "--no-install-recommends", ...names], limits);
}

/** The command for apt-get: directly as root, or by sudo where it asks for no password. */
function aptGetCommand(): [string, ...string[]] | undefined {
  if (spawnSync("apt-get", ["--version"], { stdio: "ignore" }).status !== 0) return undefined;
  if (process.getuid?.() === 0) return ["apt-get"];
  const sudo = spawnSync("sudo", ["-n", "true"], { stdio: "ignore" });
  return sudo.status === 0 ? ["sudo", "-n", "apt-get"] : undefined;
}
