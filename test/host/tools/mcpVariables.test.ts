import { expect, it } from "vitest";
import { keySources } from "../../../src/host/keys/keySources.ts";
import { mcpVariables } from "../../../src/host/tools/mcpVariables.ts";
import { HANDED_KEYS, handedKeys } from "../../../src/server/mcp/handedKeys.ts";
import { FakeVault, openStore } from "../keys/fakeVault.ts";

it("an MCP server gets the program's own stored keys, each for its host, and addresses", async () => {
  const { store } = openStore(new FakeVault());
  await store.set("tinker", "tml-stored", "gateway.example");
  await store.set("env:HF_TOKEN", "hf-stored", null);
  await store.set("env:GITHUB_TOKEN", "another secret", null);
  await store.set("openai", "of another service", null);
  const environment = {
    TINKER_BASE_URL: "https://gateway.example",
    OPENREWARD_API_KEY: "of the process, which the server has anyway",
    UNRELATED: "1",
  };
  const sources = keySources({
    store,
    environment: () => environment,
    envValues: async () => ({}),
  });
  const given = await mcpVariables({ sources, variables: () => environment });
  expect(Object.keys(given).sort()).toEqual(["TINKER_BASE_URL", HANDED_KEYS].sort());
  expect(handedKeys(given)).toEqual({
    TINKER_API_KEY: { value: "tml-stored", origin: "store", host: "gateway.example" },
    HF_TOKEN: { value: "hf-stored", origin: "store", host: null },
  });
});
