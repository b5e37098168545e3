import { expect, test } from "vitest";
import { createCommands } from "./commands.ts";

test("a command runs in a process of its own, and each of its lines and its exit code are heard", async () => {
  const commands = createCommands();
  const lines: string[] = [];
  expect(await commands.run("backup", ["--help"], (line) => lines.push(line))).toBe(0);
  expect(lines[0]).toContain("Writes the whole shop into one file");
  lines.length = 0;
  expect(await commands.run("backup", ["--unknown"], (line) => lines.push(line))).toBe(1);
  expect(lines.join("\n")).toContain("The argument --unknown is unknown");
});

test("a running command ends when the shop stops", async () => {
  const commands = createCommands();
  const ended = commands.run("backup", ["--help"], () => undefined);
  await commands.stop();
  expect([0, 128 + 15]).toContain(await ended);
  await commands.stop();
});
