/** The secrets that the test plants, their locations, and the configurations that use them. */

import { randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import { type FakeServiceKeys, type FakeServices, MODEL } from "./secretsFakeServices.ts";

/** Each planted value by its name; the names in `.env` are the same. */
export type Planted = Readonly<
  Record<
    | "TINKER_API_KEY"
    | "TINKER_TOKEN"
    | "ORS_API_KEY"
    | "OPENREWARD_API_KEY"
    | "WANDB_API_KEY"
    | "DEMO_TOKEN"
    | "OWN_TOKEN"
    | "WRITTEN_TOKEN"
    | "UNRELATED_PASSWORD"
    | "HF_TOKEN"
    | "PROXY_PASSWORD",
    string
  >
>;

/** Variables that a user exports or puts into `.env` for the services. */
export const KEYS = [
  "TINKER_API_KEY",
  "ORS_API_KEY",
  "OPENREWARD_API_KEY",
  "WANDB_API_KEY",
] as const;
/** Those that environments receive. */
export const ENVIRONMENT_SECRETS = ["DEMO_TOKEN", "OWN_TOKEN", "WRITTEN_TOKEN"] as const;
/** The last two are only needed by a run that downloads a tokenizer. */
const IN_DOTENV = [...KEYS, "DEMO_TOKEN", "OWN_TOKEN", "UNRELATED_PASSWORD", "HF_TOKEN"] as const;

export const CONFIG = "tinker-config.yaml";

/** Keys may hold any header characters, secrets anything; each is encoded differently in JSON, URLs and base64. */
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
    TINKER_TOKEN: jwt(random(20)),
    HF_TOKEN: `hf_${random(16)}`,
    PROXY_PASSWORD: `${random(8)}+/=%&${random(6)}`,
    UNRELATED_PASSWORD: `${random(7)} "Ø/+${random(6)}`,
  };
}

/** Valid for an hour. */
function jwt(signature: string): string {
  const part = (content: object): string =>
    Buffer.from(JSON.stringify(content)).toString("base64url");
  const exp = Math.floor(Date.now() / 1000) + 3600;
  return `${part({ kid: signature.slice(0, 9) })}.${part({ exp })}.${signature}`;
}

/** Addresses and keys, as in a user's file next to the configuration; secrets are in other variables, too. */
export function dotEnv(
  planted: Partial<Planted>,
  addresses: Readonly<Record<string, string>>,
): string {
  const keys = IN_DOTENV.flatMap((name) => {
    const value = planted[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const notes =
    planted.DEMO_TOKEN === undefined
      ? {}
      : {
          WANDB_NOTES: `notes ${planted.DEMO_TOKEN}`,
          WANDB_RUN_GROUP: `group ${planted.DEMO_TOKEN}`,
          WANDB_TAGS: `one,${planted.DEMO_TOKEN}`,
        };
  return [...Object.entries({ ...addresses, ...notes }), ...keys]
    .map(([name, value]) => `${name}='${value}'\n`)
    .join("");
}

export function addresses({ tinker, environments, wandb, upload }: FakeServices) {
  return {
    TINKER_BASE_URL: tinker.url,
    OPENREWARD_SESSION_URL: environments.url,
    OPENREWARD_API_URL: upload.url,
    WANDB_BASE_URL: wandb.url,
  };
}

export function keysOf(planted: Planted): FakeServiceKeys {
  return {
    tinker: planted.TINKER_API_KEY,
    tinkerToken: planted.TINKER_TOKEN,
    environments: planted.ORS_API_KEY,
    wandb: planted.WANDB_API_KEY,
    upload: planted.OPENREWARD_API_KEY,
    hub: planted.HF_TOKEN,
    environmentSecrets: ENVIRONMENT_SECRETS.map((name) => planted[name]),
  };
}

/** A run against the fake services; secrets are also where they should not be: in the prompt, in names. */
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
    nonterminal_reward: 0.5
    min_reward: 0.1 # no advantage is 0: every step trains, whatever is sampled
    secrets: { own_token: null }
batch_size: 3
advantage_calculation: direct
max_steps: 2
max_response_tokens: 48
system_prompt_template: ${JSON.stringify(`Hi ${planted.WRITTEN_TOKEN}`)}
max_total_tokens: 256
save_every: 1
rolling_save_every: 0
evaluation: { splits: { calculator: [test] }, num_samples: 2 }
secrets: { demo_token: null, written_token: ${written} }
openreward_upload: true
openreward_run_name: ${JSON.stringify(`run ${planted.WRITTEN_TOKEN}`)}
wandb: ${wandb}
wandb_project_name: resilience
wandb_run_name: ${JSON.stringify(`run ${planted.WRITTEN_TOKEN}`)}
`;
}

/** A run with embedded services that reports to external ones. */
export const EMBEDDED_CONFIG = `
model_name: local/tiny-tool
run_name: run
environments:
  local/calculator: { splits: { train: {} }, num_rollouts: 4, nonterminal_reward: 0.5, min_reward: 0.1 }
batch_size: 3
advantage_calculation: direct # with min_reward every step trains, whatever is sampled
max_steps: 2
secrets: { demo_token: "" }
openreward_upload: true
wandb: online
wandb_project_name: resilience
`;

/** Loaded into the trainer: throws an uncaught error once the run has a row of metrics. */
export function crashProgram(planted: Planted, how: "throws" | "rejects", run: string): string {
  const known = [...KEYS, ...ENVIRONMENT_SECRETS].map((name) => planted[name]);
  const words = [...known, ...known.map((value) => Buffer.from(value).toString("base64"))].join(
    " ",
  );
  const fails = how === "throws" ? "throw fault;" : "void Promise.reject(fault);";
  return `
const fault = new TypeError(${JSON.stringify(`${words} crashed on purpose`)}, { cause: new Error(${JSON.stringify(words)}) });
const timer = setInterval(() => {
  if (!require("node:fs").existsSync(${JSON.stringify(join(run, "metrics.jsonl"))})) return;
  clearInterval(timer);
  ${fails}
}, 20);
timer.unref();
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
