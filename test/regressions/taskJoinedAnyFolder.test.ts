import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readLaunch } from "../../src/host/runs/launchStore.ts";
import { watchLaunch } from "../../src/host/runs/launchWatch.ts";
import { RunTerminal } from "../../src/host/task/runTerminal.ts";
import { readTrainTask } from "../../src/host/task/trainTask.ts";
import { ControlClient } from "../../src/node/control/client.ts";
import { PlantedHome } from "./plantedHome.ts";

let planted: PlantedHome;
beforeEach(async () => {
  planted = await PlantedHome.make();
});
afterEach(async () => {
  expect(await planted.isUntouched()).toBe(true);
  await planted.remove();
});

const REQUEST = { configPath: "/p/run.yaml", title: "t", resume: null, overrides: [], program: "" };
const FORGED = {
  schemaVersion: 1,
  pid: 1,
  control: null,
  folder: null,
  exitCode: 2,
  error: { code: "key-missing", message: "Paste it here.", name: "TINKER_API_KEY" },
};

describe("a task in tasks.json", () => {
  it.each([
    "/tmp/evil",
    "evil",
    "../evil",
    "1700000000000-0123abcd/..",
    "1700000000000-0123abcd/../../evil",
    "",
  ])("joins no training at %j", (attach) => {
    const task = { type: "tinker-rl", config: "run.yaml", attach };
    expect(readTrainTask(task)).toMatch(/attach: it is no training that this editor has started/);
  });

  it("joins one that this editor has started, by its name", () => {
    const task = { type: "tinker-rl", config: "run.yaml", attach: "1700000000000-0123abcd" };
    expect(readTrainTask(task)).toMatchObject({ attach: task.attach });
  });
});

it("records of a launch that are links are not read: nobody is asked for a key", async () => {
  const launch = join(planted.root, "launches", "1700000000000-0123abcd");
  const elsewhere = join(planted.root, "project");
  await mkdir(launch, { recursive: true });
  await writeFile(join(launch, "request.json"), JSON.stringify({ ...REQUEST, pid: null }));
  await writeFile(join(elsewhere, "launch.json"), JSON.stringify(FORGED));
  await writeFile(join(elsewhere, "output.log"), "an output from elsewhere");
  await symlink(join(elsewhere, "launch.json"), join(launch, "launch.json"));
  await symlink(join(elsewhere, "output.log"), join(launch, "output.log"));
  const onOutput = vi.fn();
  const end = await watchLaunch(launch, { onOutput, onFolder: () => undefined });
  expect(end).toEqual({ exitCode: null, error: null, folder: null });
  expect(onOutput).not.toHaveBeenCalled();
  const linked = join(planted.root, "launches", "1700000000001-0123abcd");
  await symlink(launch, linked);
  expect(await readLaunch(linked)).toBeNull();
});

const ESCAPE = "\u001b";
const STYLE = new RegExp(`${ESCAPE}\\[(\\d{0,2})m`, "g");
const HOSTILE = [
  ["a title", "\u001b]0;pwned\u0007"],
  ["a link", "\u001b]8;;file:///etc/passwd\u001b\\here\u001b]8;;\u001b\\"],
  ["the clipboard", "\u001b]52;c;Y3VybA==\u0007"],
  ["a shell mark", "\u001b]633;E;curl x\u0007"],
  ["the cursor", "\u001b[2J\u001b[1;1H\u001b[1A"],
  ["a question", "\u001b[6n\u001b[c"],
  ["hidden text", "\u001b[8msecret"],
  ["an eight-bit control", "\u009b2J\u009d0;x\u009c"],
  ["a carriage return", "all is well\rnothing is"],
  ["backspaces", "abc\b\b\bxyz"],
  ["another direction", "\u202egnp.exe"],
] as const;

describe("the terminal of a task", () => {
  function shown(pieces: readonly string[]): string {
    let text = "";
    const terminal = new RunTerminal({
      follow: async ({ print }) => {
        for (const piece of pieces) print(piece);
        return { exitCode: 0, error: null, folder: null };
      },
      send: async () => "",
      detached: () => undefined,
    });
    terminal.onDidWrite((piece) => {
      text += piece;
    });
    terminal.open();
    return text;
  }

  /** Without the styles and line ends of the trainer's own lines. */
  const steering = (text: string): string =>
    text.replace(STYLE, (style, code) => (code === "8" ? style : "")).replaceAll("\r\n", "");

  it.each(HOSTILE)("shows %s as text, however it is cut into pieces", (_what, text) => {
    for (const pieces of [[text], [...text], [text.slice(0, 2), text.slice(2)]]) {
      expect(steering(shown([...pieces, "\n"]))).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    }
  });

  it("keeps the colours of the trainer, also one that is cut in two", () => {
    const line = "\u001b[32mdone\u001b[0m  \u001b[1mrun\u001b[0m\n";
    for (const pieces of [[line], [...line], [line.slice(0, 3), line.slice(3)]]) {
      expect(shown(pieces)).toBe(line.replace("\n", "\r\n"));
    }
  });

  it("ends lines alike, also where a line end is cut in two", () => {
    expect(shown(["one\r", "\ntwo\nthree\r\n"])).toBe("one\r\ntwo\r\nthree\r\n");
  });
});

it.skipIf(process.platform === "win32")(
  "a forged run.json has no linked token read and sent",
  async () => {
    const folder = join(planted.root, "tinker-rl-run-forged");
    await mkdir(folder);
    const tokenLike = join(planted.root, "tokenLike");
    await writeFile(tokenLike, "k".repeat(43));
    await symlink(tokenLike, join(folder, "token"));
    const address = join(folder, "control.sock");
    const heard: string[] = [];
    const server = createServer((socket) => {
      socket.on("data", (bytes) => heard.push(String(bytes)));
      socket.on("error", () => undefined);
    });
    server.listen(address);
    await once(server, "listening");
    expect(existsSync(address)).toBe(true);
    const place = { address, tokenPath: join(folder, "token") };
    const asking = async (): Promise<void> => {
      const client = await ControlClient.open(place);
      client.send({ action: "status" }).catch(() => undefined);
      await vi.waitFor(() => expect(heard).not.toEqual([]));
      client.close();
    };
    await expect(asking()).rejects.toMatchObject({ code: "run-not-reachable" });
    expect(heard).toEqual([]);
    server.close();
  },
);
