import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

/** A dozen listeners of one signal, added before the program ends. */
const LISTENERS = `data:text/javascript,const { exit } = process;
process.exit = (code) => {
  const { signal } = new AbortController();
  for (let count = 0; count < 12; count += 1) signal.addEventListener("abort", () => count);
  setImmediate(exit, code);
};`;

const run = promisify(execFile);

it("never warns about the number of listeners in the terminal", async () => {
  const program = ["--import", LISTENERS, "dist/trainer/tinker-rl.js", "--version"];
  const { stderr } = await run(process.execPath, program);
  expect(stderr).toBe("");
});

it.skipIf(process.platform === "win32")(
  "says where it is started that the working directory is gone",
  async () => {
    const script = `cd "$(mktemp -d)" && rmdir "$PWD" && exec "${process.execPath}" "${resolve("dist/trainer/tinker-rl.js")}" --help`;
    await expect(run("sh", ["-c", script])).rejects.toMatchObject({
      code: 2,
      stderr: "error: The working directory no longer exists. Change to another folder.\n",
    });
  },
);
