/** HF_TOKEN and ORS_API_KEY, keys of the program itself, could be asked for by an environment. */

import { expect, it } from "vitest";
import { Redactor } from "../../src/core/secrets/redaction/redactor.ts";
import { resolveSecrets } from "../../src/core/secrets/resolve.ts";
import { KeySources } from "../../src/host/keys/keySources.ts";
import { launchKeys } from "../../src/host/keys/launchKeys.ts";
import { FakeVault, openStore } from "../host/keys/fakeVault.ts";

const OWN = ["TINKER_API_KEY", "OPENREWARD_API_KEY", "WANDB_API_KEY", "HF_TOKEN", "ORS_API_KEY"];

it.each(OWN.flatMap((name) => [name, name.toLowerCase()]))(
  "%s is handed to no environment by a look-up, and the refusal names it",
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

it.each(OWN)("%s is not gathered for one either", async (name) => {
  const { store } = openStore(new FakeVault());
  const sources = new KeySources({
    store,
    environment: () => ({ [name]: "value-of-the-key" }),
    envValues: async () => ({}),
  });
  const text = `model_name: local/tiny-tool
batch_size: 4
environments: {local/calculator: {splits: {train: {}}, num_rollouts: 4, secrets: {${name}: null}}}
`;
  const config = { text, path: "/projects/project/c.yaml", overrides: [], project: "/projects" };
  expect((await launchKeys(config, sources, {})).keys).toEqual({});
});
