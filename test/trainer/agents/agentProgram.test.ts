import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  missingScripts,
  runAgentProgram,
  withFolders,
  withFullPaths,
} from "../../../src/trainer/agents/agentProgram.ts";
import { folderOfThisTest } from "../../fakes/onDisk.ts";

/** Replaces the process that runs an agent command: reports the system's error at the start like that does. */
const keeper = (errorCode: string) => `
process.stderr.write("spawn " + process.argv[2] + " ${errorCode}\\n");
process.exitCode = 253;
`;

it("names missing scripts next to the configuration, and nothing else", async () => {
  const folder = folderOfThisTest();
  await writeFile(join(folder, "agent.py"), "");
  const good = ["agent.py", "{folder}/agent.py", "/elsewhere/agent.py", "https://a/b.js", "--x.js"];
  const other = ["{prompt}.js", "print('a b.py')", "x".repeat(300)];
  expect(missingScripts(["python", ...good, ...other], folder)).toEqual([]);
  const missing = ["agnt.py", "{folder}/agnt.py"];
  expect(missingScripts(["python", ...missing], folder)).toEqual(missing);
});

it("a command finds files next to the configuration", async () => {
  const folder = folderOfThisTest();
  const file = join(folder, "agent.py");
  await writeFile(file, "");
  const command = ["python", "agent.py", "-m", "agent", "--config={folder}/a.json", "{folder}"];
  expect(withFullPaths(command, folder)).toEqual([
    "python",
    file,
    "-m",
    "agent",
    `--config=${folder}/a.json`,
    folder,
  ]);
  expect(withFolders({ PYTHONPATH: "{folder}:/lib", KEY: null }, folder)).toEqual({
    PYTHONPATH: `${folder}:/lib`,
    KEY: null,
  });
});

describe("an agent that cannot be started", () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it.each([
    ["linux", "agent.sh", "EACCES", /agent\.sh is not executable\. Run `chmod \+x` on it/],
    ["linux", "agent.sh", "ENOENT", /agent\.sh cannot be started\. Look at its first line/],
    ["linux", "missing.sh", "ENOENT", /missing\.sh is not on the path, or cannot be started\. /],
    ["win32", "agent.sh", "EINVAL", /agent\.sh cannot be started\. Windows starts no scripts/],
    ["win32", "missing.sh", "ENOENT", /missing\.sh is not on the path, .*`\[cmd, \/c, npx\]`\./],
  ])("on %s as %s with %s reports why", async (platform, name, errorCode, why) => {
    vi.stubGlobal("process", Object.create(process, { platform: { value: platform } }));
    const folder = folderOfThisTest();
    await writeFile(join(folder, "keepCommand.js"), keeper(errorCode));
    await writeFile(join(folder, "agent.sh"), "#!/bin/none\n");
    const program = runAgentProgram({
      command: [join(folder, name)],
      cwd: folder,
      variables: {},
      programFolder: folder,
      configPath: "environments.games.agent.command",
      signal: new AbortController().signal,
      clean: (text) => text,
    });
    await expect(program).rejects.toMatchObject({
      code: "agent-not-started",
      message: expect.stringMatching(why),
    });
  });
});
