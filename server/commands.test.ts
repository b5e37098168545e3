import { expect, test } from "vitest";
import { createCommands } from "./commands.ts";

test("a command runs in a process of its own, and each of its lines and its exit code are heard", async () => {
  const commands = createCommands();
  const lines: string[] = [];
  expect(await commands.run("import", ["--help"], (line) => lines.push(line))).toBe(0);
  expect(lines[0]).toContain("Imports the documents of an old shop");
  lines.length = 0;
  expect(await commands.run("import", ["no-such-folder"], (line) => lines.push(line))).toBe(1);
  expect(lines.join("\n")).toContain("There is no folder or file");
});

test("a running command ends when the shop stops", async () => {
  const commands = createCommands();
  const ended = commands.run("import", ["--help"], () => undefined);
  await commands.stop();
  expect([0, 128 + 15]).toContain(await ended);
  await commands.stop();
});
