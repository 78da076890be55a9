import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { removeDeadSocket } from "../../../src/node/control/removeDeadSocket.ts";
import type { ControlAddress } from "../../../src/shared/runFile.ts";

let folder: string;
let target: ControlAddress;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tinker-rl-run-"));
  target = { address: join(folder, "control.sock"), tokenPath: join(folder, "token") };
  await writeFile(target.tokenPath, "t".repeat(43));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Leaves a socket behind like a killed process. */
async function killListener(): Promise<void> {
  const source = `require("node:net").createServer().listen(process.argv[1], () => process.kill(process.pid, "SIGKILL"))`;
  await once(spawn(process.execPath, ["-e", source, target.address]), "exit");
  expect(existsSync(target.address)).toBe(true);
}

describe.skipIf(process.platform === "win32")("the folder of a control socket", () => {
  it("is removed if its trainer was killed", async () => {
    await killListener();
    await removeDeadSocket(target);
    expect(existsSync(folder)).toBe(false);
  });

  it("stays while a trainer is listening", async () => {
    const server = createServer().listen(target.address);
    await once(server, "listening");
    await removeDeadSocket(target);
    expect(existsSync(target.tokenPath)).toBe(true);
    server.close();
  });

  it("stays if there is no socket, or a file that no trainer wrote", async () => {
    await removeDeadSocket(target);
    expect(existsSync(target.tokenPath)).toBe(true);
    await writeFile(join(folder, "notes.txt"), "");
    await killListener();
    await removeDeadSocket(target);
    expect(existsSync(join(folder, "notes.txt"))).toBe(true);
  });

  it("cannot be reached by another name", async () => {
    await killListener();
    await removeDeadSocket({ ...target, tokenPath: join(folder, "key") });
    expect(existsSync(target.tokenPath)).toBe(true);
  });
});
