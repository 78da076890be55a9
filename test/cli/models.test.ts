import { describe, expect, it } from "vitest";
import { parseArguments } from "../../src/cli/arguments/arguments.ts";
import { runProgram } from "../../src/cli/program.ts";
import type { OfferedModels } from "../../src/trainer/models/listModels.ts";
import { aTrainer, createFakeProgram } from "./fakeProgram.ts";
import { createFakeTerminal } from "./fakeTerminal.ts";

async function listed(
  models: OfferedModels["models"],
  hasKey = models !== null,
  words: readonly string[] = [],
): Promise<string> {
  const url = "https://tinker.example";
  const trainer = aTrainer({
    listModels: async () => ({ url, keyName: "TINKER_API_KEY", hasKey, models }),
  });
  const program = { ...createFakeProgram({ trainer }), out: createFakeTerminal({ columns: 140 }) };
  expect(await runProgram(program, ["models", ...words])).toBe(0);
  return program.out.lines.join("\n");
}

const offer = (name: string, maxContextLength: number | null) => ({
  name,
  maxContextLength,
  isTrainable: true,
});

describe("models", () => {
  it("without a key come from the built-in table, with its date", async () => {
    const text = await listed(null);
    expect(text).toMatch(/Qwen\/Qwen3\.8-27B +27B +64K, 256K +yes +on\/off: low, medium, xhigh/);
    expect(text).toMatch(/openai\/gpt-oss-20b +21B-A3\.6B +32K +– +always: low, medium, high/);
    expect(text).toMatch(/Qwen3\.5-9B-Base.*base model/);
    expect(text).toMatch(/Kimi-K3\.1-Pro.*cannot be trained yet/);
    expect(text).toMatch(/local\/tiny-tool +– +256/);
    expect(text).not.toContain("Qwen/Qwen3-32B");
    expect(text).toContain("table of 2026-08-19. Set TINKER_API_KEY");
  });

  it("with a key come from the service, not from the table", async () => {
    const text = await listed([offer("Qwen/Qwen3-32B", 40_960), offer("Owner/New-9B", null)]);
    expect(text).toMatch(/Qwen\/Qwen3-32B +32B +40K +– +on\/off/);
    expect(text).toMatch(/Owner\/New-9B +– +– +– +–$/m);
    expect(text).not.toContain("Qwen/Qwen3-8B");
    expect(text).toContain("From the list of https://tinker.example");
  });

  it("of a service that does not list them come from the table, with a message", async () => {
    const text = await listed(null, true);
    expect(text).toMatch(/openai\/gpt-oss-20b/);
    expect(text).toContain("The server at https://tinker.example does not list its models.");
    expect(text).not.toContain("Set TINKER_API_KEY");
  });

  it("are printed as JSON with what is known of each", async () => {
    const text = await listed(
      [offer("Qwen/Qwen3-32B", 40_960), offer("Owner/New-9B", null)],
      true,
      ["--json"],
    );
    const { source, models } = JSON.parse(text) as Record<string, unknown>;
    expect(source).toBe("https://tinker.example");
    const known = { size: "32B", contexts: [40_960], readsImages: false, isSupported: true };
    const unknown = { size: null, contexts: [], readsImages: null, thinking: null, efforts: [] };
    expect(models).toMatchObject([
      { name: "Qwen/Qwen3-32B", ...known, callsTools: true, thinking: "switch" },
      { name: "Owner/New-9B", ...unknown },
      { name: "local/tiny-tool", contexts: [256] },
    ]);
  });

  it("take no argument", () => {
    expect(parseArguments(["models"])).toEqual({
      kind: "models",
      allowedOrigins: [],
      wantsJson: false,
    });
    expect(() => parseArguments(["models", "x"])).toThrow("unexpected argument");
  });
});
