import { packageCommand, runNode } from "./run-command.ts";

// Route modules import types that React Router generates. The compiler runs even when that fails: one broken route must not
// hide all other errors.
const steps = [
  { script: packageCommand("@react-router/dev", "react-router"), args: ["typegen"] },
  { script: packageCommand("typescript", "tsc"), args: ["--noEmit"] },
];

for (const { script, args } of steps) {
  const code = await runNode(script, args, { limitSeconds: 300 });
  if (code !== 0) process.exitCode = code;
}
