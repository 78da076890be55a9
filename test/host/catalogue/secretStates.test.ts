import { describe, expect, it } from "vitest";
import { secretStates } from "../../../src/host/catalogue/secretStates.ts";
import { textWith } from "../../core/config/configText.ts";

const text = textWith("secrets: {OPENAI_API_KEY: null, my_token: null}");

describe("the origins of secrets", () => {
  it("include Tinker's key where it is not set", async () => {
    const nowhere = { stored: async () => [], sources: { find: async () => null } };
    expect(await secretStates(nowhere, [], [])).toEqual([{ name: "TINKER_API_KEY", origin: null }]);
  });

  it("are listed for stored keys, configurations and environments", async () => {
    const origins = { openai: "dotenv", "env:MY_TOKEN": "process", tinker: "store" } as const;
    const found = await secretStates(
      {
        stored: async () => [{ id: "tinker" }],
        sources: { find: async (id) => ({ ...origins })[id as keyof typeof origins] ?? null },
      },
      [{ text, path: "/a/tinker-config.yaml" }],
      ["GAME_KEY", "not a name"],
    );
    expect(found).toEqual([
      { name: "TINKER_API_KEY", origin: "store" },
      { name: "OPENAI_API_KEY", origin: "dotenv" },
      { name: "MY_TOKEN", origin: "process" },
      { name: "GAME_KEY", origin: null },
    ]);
  });
});
