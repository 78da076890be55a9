import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createHttpClient } from "../../../../src/node/http.ts";
import { buildProgram } from "../../../fakes/builtProgram.ts";
import { folderOfAllTests } from "../../../fakes/onDisk.ts";
import { SOURCE } from "../dataset/aSource.ts";

const ONE = { ...SOURCE, environment: "local/dataset:one" };

const folder = folderOfAllTests();
const program = join(folder, "environment.mjs");

beforeAll(() => buildProgram({ entry: "src/local/environment/server/main.ts" }, program));

function start(...args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [program, ...args, "--keyed"]);
  child.stdin.write("sesame\n");
  onTestFinished(() => void child.kill());
  return child;
}

async function firstLine(stream: NodeJS.ReadableStream | null): Promise<string> {
  const [chunk] = stream ? await once(stream, "data") : [""];
  return String(chunk);
}

describe("the environment process", () => {
  it("serves the embedded environments on a socket, and exits when its stdin closes", async () => {
    const socketPath = join(folder, "s");
    const child = start("--socket", socketPath);
    const ready = await firstLine(child.stdout);
    expect(JSON.parse(ready)).toEqual({ ready: true, address: socketPath, datasets: {} });
    const http = createHttpClient({ socketPath });
    onTestFinished(() => http.close());
    const headers = { "x-api-key": "sesame" };
    const url = "http://localhost/list_environments";
    const answer = await http.send({ method: "GET", url, headers });
    expect(JSON.parse(await answer.text())).toContain("calculator");
    child.stdin?.end();
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  it("serves the datasets in its first input line, and reports their digests", async () => {
    const path = join(folder, "q.jsonl");
    await writeFile(path, '{"question":"Why?","answer":"So."}\n');
    const socketPath = join(folder, "d");
    const child = spawn(process.execPath, [program, "--socket", socketPath, "--datasets"]);
    onTestFinished(() => void child.kill());
    child.stdin.write(`${JSON.stringify([{ ...ONE, path }])}\n`);
    expect(JSON.parse(await firstLine(child.stdout))).toMatchObject({
      ready: true,
      datasets: { "local/dataset:one": expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    const http = createHttpClient({ socketPath });
    onTestFinished(() => http.close());
    const url = "http://localhost/dataset:one/splits";
    expect(JSON.parse(await (await http.send({ method: "GET", url })).text())).toEqual([
      { name: "train", type: "train" },
    ]);
  });

  it("reports an unusable dataset, and exits", async () => {
    const child = spawn(process.execPath, [program, "--port", "0", "--datasets"]);
    child.stdin.write(`${JSON.stringify([{ ...ONE, path: join(folder, "none.csv") }])}\n`);
    const [line, [code]] = await Promise.all([firstLine(child.stdout), once(child, "exit")]);
    expect(JSON.parse(line)).toEqual({
      ready: false,
      error: {
        code: "dataset-invalid",
        message: expect.stringContaining("none.csv: error: TRL222 the file does not exist"),
        configPath: "environments.local/dataset:one.tasks",
      },
    });
    expect(code).toBe(1);
  });

  it("exits on SIGTERM", async () => {
    const child = start("--port", "0");
    expect(await firstLine(child.stdout)).toMatch(/"address":"http:\/\/127\.0\.0\.1:\d+"/);
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  it.each([
    [[]],
    [["--port", "70000"]],
    [["--port", "0", "--socket", "s"]],
    [["--port", "0", "--max-sessions", "0"]],
  ])("rejects the arguments %j with a usage line", async (args) => {
    const child = start(...args);
    const [line, [code]] = await Promise.all([firstLine(child.stderr), once(child, "exit")]);
    expect(line).toContain("Usage: environment.js --socket PATH | --port N");
    expect(code).toBe(1);
  });
});
