import { realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { loadVariables } from "../../../src/trainer/services/variables.ts";
import { folderOfEachTest } from "../../fakes/onDisk.ts";

const folder = folderOfEachTest();

afterEach(() => {
  vi.unstubAllEnvs();
});

async function variablesIn(dotEnv: string) {
  await writeFile(join(folder, ".env"), dotEnv);
  const variables = await loadVariables(folder);
  return (name: string) => variables(name)?.value ?? null;
}

it("variables are read from .env, with comments, quotes and export", async () => {
  const variable = await variablesIn(
    '# keys\nPLAIN=one\nQUOTED="two words"\nexport EXPORTED=three # not this\nBROKEN\n',
  );
  expect(["PLAIN", "QUOTED", "EXPORTED", "BROKEN"].map(variable)).toEqual([
    "one",
    "two words",
    "three",
    null,
  ]);
});

it("the process environment wins over .env", async () => {
  vi.stubEnv("TINKER_RL_TEST_VARIABLE", "process");
  const variable = await variablesIn("TINKER_RL_TEST_VARIABLE=file\n");
  expect(variable("TINKER_RL_TEST_VARIABLE")).toBe("process");
});

it("an empty value counts as absent", async () => {
  vi.stubEnv("TINKER_RL_TEST_VARIABLE", "");
  expect((await variablesIn("TINKER_RL_TEST_VARIABLE=file\n"))("TINKER_RL_TEST_VARIABLE")).toBe(
    "file",
  );
  expect((await variablesIn("TINKER_RL_TEST_VARIABLE=\n"))("TINKER_RL_TEST_VARIABLE")).toBeNull();
});

it("a variable reports the origin of its value", async () => {
  vi.stubEnv("TINKER_RL_TEST_VARIABLE", "process");
  await writeFile(join(folder, ".env"), "TINKER_RL_TEST_VARIABLE=a\nTINKER_RL_TEST_OTHER=b\n");
  const variable = await loadVariables(folder);
  expect(variable("TINKER_RL_TEST_VARIABLE")).toEqual({ value: "process", origin: "process" });
  expect(variable("TINKER_RL_TEST_OTHER")).toEqual({ value: "b", origin: "dotenv" });
});

it.each(["constructor", "__proto__", "toString"])("%s is not a built-in variable", async (name) => {
  expect((await variablesIn("PLAIN=one\n"))(name)).toBeNull();
});

it("a folder without .env has no variables of its own", async () => {
  const variable = await loadVariables(folder);
  expect(variable("TINKER_RL_TEST_VARIABLE")).toBeNull();
});

describe("variables supplied by an editor", () => {
  const launchRequest = {
    keys: {
      TINKER_RL_TEST_VARIABLE: { value: "store", origin: "store" as const, host: "one.example" },
    },
    variables: {},
    envFile: null,
  };

  it("take precedence over everything else, and include their hosts", async () => {
    vi.stubEnv("TINKER_RL_TEST_VARIABLE", "process");
    const variable = await loadVariables(folder, launchRequest);
    expect(variable("TINKER_RL_TEST_VARIABLE")).toEqual({
      value: "store",
      origin: "store",
      host: "one.example",
    });
  });

  it("count as absent if empty", async () => {
    const keys = { TINKER_RL_TEST_VARIABLE: { value: "", origin: "store" as const, host: null } };
    const variable = await loadVariables(folder, { ...launchRequest, keys });
    expect(variable("TINKER_RL_TEST_VARIABLE")).toBeNull();
  });

  it("replace those of the process", async () => {
    vi.stubEnv("TINKER_RL_TEST_OTHER", "process");
    const variables = { TINKER_RL_TEST_OTHER: "editor" };
    const variable = await loadVariables(folder, { ...launchRequest, variables });
    expect(variable("TINKER_RL_TEST_OTHER")).toEqual({ value: "editor", origin: "process" });
  });

  it("decide whether .env is read", async () => {
    await writeFile(join(folder, ".env"), "TINKER_RL_TEST_OTHER=file\n");
    const look = async (envFile: string | null) =>
      (await loadVariables(folder, { ...launchRequest, envFile }))("TINKER_RL_TEST_OTHER");
    const found = { value: "file", origin: "dotenv", host: null };
    expect(await look(join(await realpath(folder), ".env"))).toEqual(found);
    expect(await look(null)).toBeNull();
  });

  it.each(["constructor", "__proto__", "toString"])("exclude the built-in %s", async (name) => {
    expect((await loadVariables(folder, launchRequest))(name)).toBeNull();
  });
});
