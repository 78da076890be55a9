import { expect, it, test } from "vitest";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import { resolveSecrets, type SecretSources } from "../../../src/core/secrets/resolve.ts";

function resolve(changes: Partial<SecretSources>, found: Readonly<Record<string, string>> = {}) {
  return resolveSecrets({
    environment: "acme/search",
    environmentSecrets: null,
    globalSecrets: null,
    lookUp: async (name) => found[name] ?? null,
    redactor: new Redactor(),
    ...changes,
  });
}

test("the environment's value takes precedence over the global one, and that over the lookup", async () => {
  const secrets = await resolve(
    {
      globalSecrets: { search_key: "global-1", judge_key: "global-2", openai_api_key: null },
      environmentSecrets: { search_key: "own-1" },
    },
    { OPENAI_API_KEY: "looked-up", JUDGE_KEY: "unused" },
  );
  expect(secrets).toEqual({
    search_key: "own-1",
    judge_key: "global-2",
    openai_api_key: "looked-up",
  });
});

test("an empty value removes the key, and null at the environment uses the lookup", async () => {
  const globalSecrets = { a_key: "global", b_key: "global" };
  const environmentSecrets = { a_key: "", b_key: null };
  expect(await resolve({ globalSecrets, environmentSecrets }, { B_KEY: "found" })).toEqual({
    b_key: "found",
  });
});

test("a missing secret is reported with its place", async () => {
  await expect(resolve({ environmentSecrets: { judge_key: null } })).rejects.toMatchObject({
    code: "secret-missing",
    configPath: "environments.acme/search.secrets.judge_key",
    message: expect.stringContaining("JUDGE_KEY"),
  });
  await expect(resolve({ globalSecrets: { judge_key: null } })).rejects.toMatchObject({
    configPath: "secrets.judge_key",
  });
});

test("the program's own keys are passed on only when written explicitly", async () => {
  const found = { WANDB_API_KEY: "w-123456" };
  const wanted = { globalSecrets: { wandb_api_key: null } };
  await expect(resolve(wanted, found)).rejects.toMatchObject({ code: "secret-not-allowed" });
  const written = { wandb_api_key: "w-123456" };
  expect(await resolve({ globalSecrets: written }, found)).toEqual(written);
});

test("every value is learned by the redactor", async () => {
  const redactor = new Redactor();
  await resolve({ redactor, globalSecrets: { a: "written-value", b: null } }, { B: "found-value" });
  expect(redactor.redact("written-value found-value")).toBe("*** ***");
});

const OWN = ["TINKER_API_KEY", "OPENREWARD_API_KEY", "WANDB_API_KEY", "HF_TOKEN", "ORS_API_KEY"];

it.each(OWN.flatMap((name) => [name, name.toLowerCase()]))(
  "%s is never looked up for an environment, and the refusal names it",
  async (name) => {
    const looked: string[] = [];
    const asked = resolveSecrets({
      environment: "Owner/Game",
      environmentSecrets: { [name]: null },
      globalSecrets: null,
      lookUp: async (wanted) => {
        looked.push(wanted);
        return "value-of-the-key";
      },
      redactor: new Redactor(),
    });
    await expect(asked).rejects.toMatchObject({
      code: "secret-not-allowed",
      message: expect.stringContaining(name.toUpperCase()),
    });
    expect(looked).toEqual([]);
  },
);
