/** The secrets that the drill plants, where it plants them, and the configurations that lead them through the program. */

import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import { MODEL, type StandInKeys, type StandIns } from "./secretsStandIns.ts";

/** Each planted value by its name; those in `.env` stand under it there. */
export type Planted = Readonly<
  Record<
    | "TINKER_API_KEY"
    | "ORS_API_KEY"
    | "OPENREWARD_API_KEY"
    | "WANDB_API_KEY"
    | "DEMO_TOKEN"
    | "OWN_TOKEN"
    | "WRITTEN_TOKEN"
    | "UNRELATED_PASSWORD",
    string
  >
>;

/** In the configuration and nowhere else. */
const WRITTEN: keyof Planted = "WRITTEN_TOKEN";

/** Keys may hold what a header takes, secrets anything; each is written differently in JSON, URLs and base64. */
export function plant(): Planted {
  const random = (bytes: number): string => randomBytes(bytes).toString("hex");
  return {
    TINKER_API_KEY: `tml-${random(8)}"/+=%&\\${random(6)}`,
    ORS_API_KEY: `ors${random(8)}"/+=%&\\${random(6)}`,
    OPENREWARD_API_KEY: `or_${random(8)}"/+=%&\\${random(6)}`,
    WANDB_API_KEY: random(20),
    DEMO_TOKEN: `${random(7)} "ß/+?%\\${random(6)}`,
    OWN_TOKEN: `${random(7)}~ü&=#${random(6)}`,
    WRITTEN_TOKEN: `${random(7)} é"\\%${random(6)}`,
    UNRELATED_PASSWORD: `${random(7)} "Ø/+${random(6)}`,
  };
}

/** Addresses and all keys, as a user's file beside the configuration. */
export function dotEnv(planted: Planted, addresses: Readonly<Record<string, string>>): string {
  const keys = Object.entries(planted).filter(([name]) => name !== WRITTEN);
  return [...Object.entries(addresses), ...keys]
    .map(([name, value]) => `${name}='${value}'\n`)
    .join("");
}

export function addresses({ tinker, environments, wandb, upload }: StandIns) {
  return {
    TINKER_BASE_URL: tinker.url,
    OPENREWARD_SESSION_URL: environments.url,
    OPENREWARD_API_URL: upload.url,
    WANDB_BASE_URL: wandb.url,
  };
}

export function keysOf(planted: Planted): StandInKeys {
  return {
    tinker: planted.TINKER_API_KEY,
    environments: planted.ORS_API_KEY,
    wandb: planted.WANDB_API_KEY,
    upload: planted.OPENREWARD_API_KEY,
    environmentSecrets: ENVIRONMENT_SECRETS.map((name) => planted[name]),
  };
}

/** Those that environments get. */
export const ENVIRONMENT_SECRETS = ["DEMO_TOKEN", "OWN_TOKEN", "WRITTEN_TOKEN"] as const;

/** A run against the stand-ins; secrets also stand where they should not: in the prompt, in names. */
export function hostedConfig(planted: Planted, wandb: "online" | "offline"): string {
  const written = JSON.stringify(planted.WRITTEN_TOKEN);
  return `# ${planted.WRITTEN_TOKEN}
model_name: ${MODEL}
tokenizer_name: ${resolve("src/local/engine/model")}
lora_rank: 8
run_name: run
environments:
  calculator:
    splits: { train: {} }
    num_rollouts: 4
    nonterminal_reward: 0
    secrets: { own_token: null }
batch_size: 3
max_steps: 3
max_response_tokens: 48
max_total_tokens: 256
save_every: 1
rolling_save_every: 0
evaluation: { splits: { calculator: [test] }, num_samples: 2 }
secrets: { demo_token: null, written_token: ${written} }
openreward_upload: true
openreward_run_name: ${JSON.stringify(`run ${planted.WRITTEN_TOKEN}`)}
wandb: ${wandb}
wandb_project_name: drill
wandb_run_name: ${JSON.stringify(`run ${planted.WRITTEN_TOKEN}`)}
`;
}

/** Mistakes near a secret, whose messages must not quote it. */
export function brokenConfigs(planted: Planted): readonly string[] {
  const sound = hostedConfig(planted, "offline");
  const written = JSON.stringify(planted.WRITTEN_TOKEN);
  const line = `secrets: { demo_token: null, written_token: ${written} }`;
  const instead = [
    `secrets: ${written}`,
    `secrets: [${written}]`,
    `secrets: { written_token: { value: ${written} } }`,
    `secrets: { written_token: [${written}] }`,
    `secrets: { written_token: ${written}, written_token: ${written} }`,
    `secrets: { written_token: ${written}`,
    `secrets: { written_token: "${planted.WRITTEN_TOKEN} }`,
    `secrets:\n\twritten_token: ${written}`,
    `secrts: { written_token: ${written} }`,
    `secrets: { written_token: !${planted.WRITTEN_TOKEN} }`,
    `secrets: { written_token: @${planted.WRITTEN_TOKEN} }`,
    `secrets:\n  written_token: |${planted.WRITTEN_TOKEN}`,
    `secrets:\n  written_token: "\\q${planted.WRITTEN_TOKEN}`,
    `tinker_base_url: http://user:${encodeURIComponent(planted.WRITTEN_TOKEN)}@127.0.0.1:9`,
    `secrets: { written_token: *${planted.WRITTEN_TOKEN} }`,
    `secrets:\n  written_token:${planted.WRITTEN_TOKEN}`,
    `environments: { calculator: { secrets: ${written} } }\nsecrets: { a: ${written} }`,
  ];
  return instead.map((text) => sound.replace(line, () => text));
}
