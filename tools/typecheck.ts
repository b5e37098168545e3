import { packageCommand, runNode } from "./run-command.ts";

// Route modules import types that only exist once the router has generated them. The compiler runs in any case, so that
// one broken route does not hide every other mistake.
const steps = [
  { script: packageCommand("@react-router/dev", "react-router"), args: ["typegen"] },
  { script: packageCommand("typescript", "tsc"), args: ["--noEmit"] },
];

for (const { script, args } of steps) {
  const code = await runNode(script, args, { limitSeconds: 300 });
  if (code !== 0) process.exitCode = code;
}
