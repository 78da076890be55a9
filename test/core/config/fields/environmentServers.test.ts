import { expect, it } from "vitest";
import { serverOwner } from "../../../../src/core/config/fields/environmentServers.ts";
import { parseConfig } from "../../../../src/core/config/parse.ts";

const TEXT = `
model_name: local/tiny-tool
environments:
  easy: { server: { command: [python, serve.py], environment: one }, splits: { train: {} }, num_rollouts: 4 }
  hard: { server: { command: [python, serve.py], environment: two }, splits: { train: {} }, num_rollouts: 4 }
  other: { server: { command: [python, other.py] }, splits: { train: {} }, num_rollouts: 4 }
batch_size: 4
`;

it("a server shared by several environments is attributed to the first", () => {
  const parsed = parseConfig(TEXT, { path: "run.yaml" });
  if (!parsed.ok) throw new Error("The configuration is valid.");
  const { config } = parsed;
  expect(["easy", "hard", "other"].map((name) => serverOwner(config, name))).toEqual([
    "easy",
    "easy",
    "other",
  ]);
});
