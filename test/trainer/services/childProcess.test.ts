import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { isProcessAlive } from "../../../src/node/processes.ts";
import { startChild } from "../../../src/trainer/services/childProcess.ts";
import { folderOfEachTest } from "../../fakes/onDisk.ts";
import { unstartedChild } from "./unstartedChild.ts";

vi.mock("node:child_process", async (original) => {
  const module = await original<typeof import("node:child_process")>();
  return { ...module, spawn: vi.fn(module.spawn) };
});

const folder = folderOfEachTest();

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

/** Starts a child that runs `source`. */
async function start(
  source: string,
  options: { args?: readonly string[]; key?: string; input?: string } = {},
) {
  const program = join(folder, "child.mjs");
  await writeFile(program, source);
  return await startChild({ name: "The engine", program, args: [], ...options });
}

/** Prints the line of a listening server, with this address, and stays alive. */
function ready(address: string): string {
  return `console.log(JSON.stringify({ ready: true, address: ${address} })); setInterval(() => {}, 1000);`;
}

describe("a child server", () => {
  it("is running once it prints its address, and gone after it is closed", async () => {
    const child = await start(ready("String(process.pid)"));
    const pid = Number(child.address);
    expect(isProcessAlive(pid)).toBe(true);
    await child.close();
    expect(isProcessAlive(pid)).toBe(false);
    await child.close();
  });

  it.skipIf(process.platform === "win32")(
    "is not met by signals to its parent's group",
    async () => {
      const child = await start(ready("String(process.pid)"));
      // Only the leader of a process group can be addressed this way.
      expect(isProcessAlive(-Number(child.address))).toBe(true);
      await child.close();
    },
  );

  it("survives the end of its parent's console on Windows", async () => {
    vi.stubGlobal("process", Object.create(process, { platform: { value: "win32" } }));
    const child = await start(ready("String(process.pid)"));
    expect(vi.mocked(spawn).mock.lastCall?.[2]).toMatchObject({ detached: true });
    await child.close();
  });

  it("may refuse to start because of a dataset, and names the configuration key", async () => {
    const error = { code: "dataset-invalid", message: "q.csv is empty", configPath: "a.tasks" };
    const line = JSON.stringify({ ready: false, error });
    const starting = start(
      `
      process.stdin.once("data", (input) => {
        if (String(input) === "[1]\\n") console.log(${JSON.stringify(line)});
        process.exit(1);
      });
    `,
      { input: "[1]" },
    );
    await expect(starting).rejects.toMatchObject(error);
  });

  it("may write its first line in pieces", async () => {
    const child = await start(`
      process.stdout.write('{"ready": true,');
      setTimeout(() => process.stdout.write(' "address": "here"}\\n'), 20);
      setInterval(() => {}, 1000);`);
    expect(child.address).toBe("here");
    await child.close();
  });

  it("may write much output without blocking", async () => {
    const written = join(folder, "written");
    const child = await start(`
      import { writeFileSync } from "node:fs";
      process.stdout.write('{"ready": true, "address": "here"}\\n');
      setTimeout(() => {
        process.stdout.write("x".repeat(1_000_000));
        writeFileSync(${JSON.stringify(written)}, "all");
      }, 20);
      setInterval(() => {}, 1000);`);
    await expect.poll(() => readFile(written, "utf8").catch(() => null)).toBe("all");
    await child.close();
  });

  it("gets its key and its arguments, and none of the user's keys", async () => {
    vi.stubEnv("TINKER_API_KEY", "tml-secret");
    const facts = `[
      process.env.TINKER_API_KEY,
      (await once(process.stdin, "data")).toString("utf8"),
      Object.values(process.env).includes("local"),
      ...process.argv.slice(2),
    ].join()`;
    const program = `import { once } from "node:events";\n${ready(facts)}`;
    const child = await start(program, { key: "local", args: ["--socket"] });
    expect(child.address).toBe(",local\n,false,--socket,--keyed");
    await child.close();
  });

  it("is asked to end, so that it can shut down cleanly", async () => {
    const goodbye = join(folder, "goodbye");
    const child = await start(`
      import { writeFileSync } from "node:fs";
      process.on("SIGTERM", () => {
        writeFileSync(${JSON.stringify(goodbye)}, "done");
        process.exit(0);
      });
      ${ready("'here'")}`);
    await child.close();
    expect(await readFile(goodbye, "utf8")).toBe("done");
  });
});

describe("a child that ends", () => {
  const failureOf = (child: { readonly failed: AbortSignal }) =>
    expect.poll(() => (child.failed.aborted ? child.failed.reason : null));

  it("by itself reports how, with the end of its output", async () => {
    const child = await start(`
      console.log(JSON.stringify({ ready: true, address: "here" }));
      setTimeout(() => {
        process.stderr.write("x".repeat(5_000) + "\\nout of paper\\n");
        process.exitCode = 7;
      }, 20);`);
    await failureOf(child).toMatchObject({
      code: "local-service",
      message: expect.stringMatching(
        /^The engine ended unexpectedly \(code 7\): x+\nout of paper /,
      ),
    });
    expect(child.failed.reason.message.length).toBeLessThan(1_000);
    await child.close();
  });

  it("by a signal reports which", async () => {
    const child = await start(ready("String(process.pid)"));
    process.kill(Number(child.address), "SIGKILL");
    await failureOf(child).toMatchObject({
      message: expect.stringMatching(/ended unexpectedly \(SIGKILL\)\. .*memory.* resume the run/),
    });
  });

  it("because it was closed has not failed", async () => {
    const child = await start(ready("'here'"));
    await child.close();
    await new Promise((resolve) => setImmediate(resolve));
    expect(child.failed.aborted).toBe(false);
  });
});

describe("a child that does not start", () => {
  const failure = (message: RegExp) => ({
    code: "local-service",
    message: expect.stringMatching(message),
  });

  it("is reported with its exit code", async () => {
    await expect(start("process.exit(3)")).rejects.toMatchObject(
      failure(/^The engine did not start: it ended with code 3$/),
    );
  });

  it("is reported when its first line is not as expected", async () => {
    const stay = "setInterval(() => {}, 1000);";
    for (const line of ["hello", "{}", '{"ready": false, "address": "x"}', '{"ready": true}']) {
      await expect(start(`console.log(${JSON.stringify(line)}); ${stay}`)).rejects.toMatchObject(
        failure(/its first line is not as expected/),
      );
    }
  });

  it("is reported with its error output", async () => {
    const source = `
      process.stderr.write("no model in this folder\\n");
      setTimeout(() => console.log("rubbish"), 100);
      setInterval(() => {}, 1000);`;
    await expect(start(source)).rejects.toMatchObject(
      failure(/did not start: no model in this folder$/),
    );
  });

  it("is reported with only the error of the last line of a log", async () => {
    const line = JSON.stringify({ level: "error", message: "no start", error: "no memory" });
    const source = `process.stderr.write(${JSON.stringify(`starting\n${line}\n`)}); process.exitCode = 1;`;
    await expect(start(source)).rejects.toMatchObject(
      failure(/^The engine did not start: no memory$/),
    );
  });

  it("is reported when no more files can be opened", async () => {
    vi.mocked(spawn).mockImplementationOnce(unstartedChild);
    await expect(start(ready("'here'"))).rejects.toMatchObject(failure(/: spawn EMFILE$/));
  });

  it("is reported when the program does not exist", async () => {
    const missing = { name: "The engine", program: join(folder, "missing.mjs"), args: [] };
    await expect(startChild(missing)).rejects.toMatchObject(failure(/^The engine did not start: /));
  });
});
