import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { runProgram } from "../../src/cli/program.ts";
import { ENVIRONMENT_TEMPLATES } from "../../src/core/scaffold/environmentTemplates.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import { venvPython } from "../../src/trainer/scaffold/virtualEnvironment.ts";
import { folderOfEachTest } from "../fakes/onDisk.ts";
import { createFakeProgram } from "./fakeProgram.ts";

const templatesFolder = fileURLToPath(
  new URL("../../src/trainer/scaffold/templates", import.meta.url),
);

const cwd = folderOfEachTest();

async function env(...words: readonly string[]) {
  const fileSystem = createFileSystem();
  const invocation = { program: "tinker-rl", cwd };
  const program = createFakeProgram({ fileSystem, templatesFolder, invocation });
  const exitCode = await runProgram(program, ["env", ...words]);
  await fileSystem.close();
  return { exitCode, lines: program.out.lines, errors: program.err.lines };
}

const read = (path: string): Promise<string> => readFile(join(cwd, path), "utf8");

describe("env new", () => {
  test.each(ENVIRONMENT_TEMPLATES)(
    "writes the template $kind under the new name",
    async ({ kind, suitsEmbeddedModel }) => {
      const { exitCode, lines } = await env("new", "letter-count", "--template", kind);
      expect(exitCode).toBe(0);
      const files = await readdir(join(cwd, "environments/letter-count"));
      for (const file of files) {
        const text = await read(`environments/letter-count/${file}`);
        expect(text).not.toMatch(/template-?(?:environment|guide)/i);
      }
      expect(await read("environments/letter-count/README.md")).toContain(
        "tinker-rl env check letter-count -c tinker-config.yaml",
      );
      expect(await read("environments/letter-count/environment.py")).toContain(
        "class LetterCountEnvironment(Environment):",
      );
      const config = await read("tinker-config.yaml");
      expect(config.includes("\nmodel_name: local/tiny-tool")).toBe(suitsEmbeddedModel);
      expect(lines.slice(-3)).toEqual([
        `  ${normalize(venvPython("environments/letter-count"))} -m pytest ${normalize("environments/letter-count")}`,
        "  tinker-rl env check letter-count -c tinker-config.yaml",
        "  tinker-rl train -c tinker-config.yaml",
      ]);
    },
  );

  test("names the server's command as a path from the configuration", async () => {
    await env("new", "demo");
    const values = parse(await read("tinker-config.yaml"));
    expect(values).toMatchObject({
      environments: {
        demo: {
          server: {
            command: [venvPython("environments/demo"), "environments/demo/environment.py"],
          },
          splits: { train: {} },
        },
      },
      evaluation: { splits: { demo: ["test"] } },
    });
  });

  test("adds to an adjacent configuration, and keeps its comments", async () => {
    await mkdir(join(cwd, "project"));
    const text =
      "model_name: a/b # chosen\nenvironments: # two\n  local/depot:\n    splits: {train: {}}\n";
    await writeFile(join(cwd, "project/c.yaml"), text);
    const { lines } = await env("new", "demo", "-c", "project/c.yaml");
    expect(await read("project/c.yaml")).toMatch(
      /^model_name: a\/b # chosen\nenvironments: # two\n {2}local\/depot:\n.*\n {2}demo:\n/,
    );
    expect(await readdir(join(cwd, "project/environments"))).toEqual(["demo"]);
    expect(lines).toContain("  cd project");
    await mkdir(join(cwd, "my project"));
    const spaced = await env("new", "demo", "-c", "my project/c.yaml");
    expect(spaced.lines).toContain('  cd "my project"');
  });

  test("lists the required changes if the embedded model is too small", async () => {
    const { lines } = await env("new", "poem", "--template", "judge");
    const model = "Set model_name in tinker-config.yaml to a model larger than local/tiny-tool.";
    expect(lines).toEqual(expect.arrayContaining([model, "Set the secret OPENAI_API_KEY."]));
    expect((await env("new", "demo")).lines.join("\n")).not.toContain("Set ");
  });

  test("leaves an invalid configuration alone, and prints the entry", async () => {
    await writeFile(join(cwd, "tinker-config.yaml"), "environments: [\n");
    const { exitCode, lines } = await env("new", "demo");
    expect(exitCode).toBe(0);
    expect(await read("tinker-config.yaml")).toBe("environments: [\n");
    expect(lines.join("\n")).toContain("  demo: { server: { command: [");
  });

  test("writes no configuration in JSON", async () => {
    const { exitCode, errors } = await env("new", "demo", "-c", "run.json");
    expect(exitCode).toBe(2);
    expect(errors).toEqual(["error: run.json does not exist."]);
    expect(await readdir(cwd)).toEqual([]);
  });

  test("writes nothing beside a folder that is given as the configuration", async () => {
    await mkdir(join(cwd, "project"));
    const { exitCode, errors } = await env("new", "demo", "-c", "project");
    expect(exitCode).toBe(2);
    expect(errors.join()).toContain("because it is a folder");
    expect(await readdir(cwd)).toEqual(["project"]);
  });

  test("overwrites nothing", async () => {
    await env("new", "demo");
    await writeFile(join(cwd, "environments/demo/tasks.jsonl"), "mine");
    const { exitCode, errors } = await env("new", "demo");
    expect(exitCode).toBe(2);
    expect(errors).toEqual([
      "error: environments/demo is already there. Choose another name, or delete that folder.",
    ]);
    expect(await read("environments/demo/tasks.jsonl")).toBe("mine");
  });

  test.each(["Demo", "1st", "a/b", "../a", "a.b", "-a", "a-", "a b", ""])(
    "rejects the name %j, and writes nothing",
    async (name) => {
      expect((await env("new", "--", name)).exitCode).toBe(2);
      expect(await readdir(cwd)).toEqual([]);
    },
  );

  test.each([
    [["new"], "env new needs a name"],
    [["old", "demo"], "env needs new"],
    [["new", "demo", "more"], 'unexpected argument "more"'],
    [["new", "demo", "--template", "quiz"], '--template is "quiz"'],
    [["new", "demo", "--venv", "--no-venv"], "--venv and --no-venv exclude each other"],
  ])("reports the error in %j", async (words, problem) => {
    const { exitCode, errors } = await env(...words);
    expect(exitCode).toBe(2);
    expect(errors.join()).toContain(problem);
  });
});
