/** Cross-field rules, and advice about values that are allowed but rarely intended. */

import { formatCount } from "../../../shared/format.ts";
import { environmentsOn } from "../fields/environmentServers.ts";
import { isLocalModel, MAX_CONCURRENT_ROLLOUTS, zeroVariancePolicy } from "../fields/presets.ts";
import type { Config } from "../fields/schema.ts";
import { advice, conflict, type Finding, note } from "../source/finding.ts";
import { preferred, removal, setKeyTo, setTo } from "../source/remedy.ts";
import { correctionFindings } from "./correctionRules.ts";
import { agentFindings, environmentFindings, samplingFindings } from "./environmentRules.ts";
import { evaluationFindings } from "./evaluationRules.ts";
import { intentFindings } from "./intentRules.ts";
import { valueAt } from "./issues.ts";
import { lineUpFindings } from "./lineUpRules.ts";
import { learnsWithoutAdvantage } from "./lossDefaults.ts";
import { lossFindings } from "./lossRules.ts";
import { notifyFindings } from "./notifyRules.ts";
import { supervisedFindings } from "./supervisedRules.ts";
import { teacherFindings } from "./teachers.ts";

/** The paths that `checkStatePath` of the Tinker client accepts. */
export const STATE_PATH = /^tinker:\/\/[^/\s]+\/weights\/[^/\s]+$/;
/**
 * A run tends to collapse above `high` and to stand still below `low`. Fine-tuning of a hosted model needs about 5e-4, nearly independent
 * of model size: `hyperparam_utils.get_lr` in tinker-cookbook.
 */
const LEARNING_RATES = {
  rl: { high: 1e-4, low: 1e-7, usual: 2e-5, advised: "1e-5 to 4e-5", what: "RL" },
  sft: { high: 2e-3, low: 1e-6, usual: 5e-4, advised: "1e-4 to 5e-4", what: "fine-tuning" },
  // The embedded model still learns at 2e-2.
  local: { high: 0.1, low: 0, usual: 1e-3, advised: "1e-3 to 8e-3", what: "the embedded model" },
} as const;
/** Maximum tokens of a step before its size gets a note. */
const MANY_TOKENS_A_STEP = 64_000_000;
/** Maximum rollouts of a step that this computer can train in reasonable time and memory. */
const MANY_LOCAL_ROLLOUTS = 2048;

/** Findings about a configuration whose fields are each valid. `values` is the configuration before defaults. */
export function crossFieldFindings(config: Config, values: unknown): readonly Finding[] {
  return [
    ...rankFindings(config),
    ...adapterFindings(config),
    ...lineUpFindings(config, values),
    ...startFindings(config),
    ...tokenFindings(config),
    ...learningRateFindings(config),
    ...overlongFindings(config),
    ...supervisedFindings(config, values),
    ...teacherFindings(config),
    ...intentFindings(config, values),
    ...endFindings(config, values),
    ...costFindings(config),
    ...loadFindings(config),
    ...shuffleFindings(config, values),
    ...weightFindings(config),
    ...Object.entries(config.environments).flatMap(([name, environment]) =>
      environmentFindings(["environments", name], environment),
    ),
    ...(config.method === "rl" ? policyFindings(config) : []),
    ...agentFindings(config),
    ...sessionEnvFindings(config),
    ...programEnvFindings(config),
    ...evaluationFindings(config),
    ...addressFindings(config),
    ...trackerFindings(config),
    ...silentTrackerFindings(config, values),
    ...notifyFindings(config),
  ];
}

/** Findings about training on what the policy sampled. */
function policyFindings(config: Config): readonly Finding[] {
  return [
    ...creditFindings(config),
    ...refillFindings(config),
    ...lossFindings(config),
    ...correctionFindings(config),
    ...Object.entries(config.environments).flatMap(([name, environment]) =>
      samplingFindings(["environments", name], environment),
    ),
  ];
}

function creditFindings({ credit, discount, environments }: Config): readonly Finding[] {
  if (credit === "trajectory") {
    if (discount === 1) return [];
    const message = "`discount` has no effect with `credit: trajectory`.";
    const remedies = [setTo(["credit"], "reward_to_go")];
    return [advice("TRL225", ["discount"], message, { relatedPaths: [["credit"]], remedies })];
  }
  return Object.entries(environments).flatMap(([name, { reward_reduction: reduction }]) => {
    if (reduction === "sum") return [];
    const path = ["environments", name, "reward_reduction"];
    const message = `\`credit: reward_to_go\` adds up the rewards of the turns, so \`reward_reduction\` must be \`sum\`, not \`${reduction}\`.`;
    const remedies = [preferred(setTo(path, "sum"))];
    return [conflict("TRL225", path, message, { relatedPaths: [["credit"]], remedies })];
  });
}

/** Variables whose names suggest that the value is a key, which must not be stored in a run folder. */
const KEY_NAME = /(KEY|TOKEN|SECRET|PASSWORD)$/i;

/** Checks that each `null` in `session_env` has a matching secret, and that no key is written there. */
function sessionEnvFindings({ environments, secrets }: Config): readonly Finding[] {
  return Object.entries(environments).flatMap(([name, environment]) => {
    const known = { ...secrets, ...environment.secrets };
    return Object.entries(environment.session_env ?? {}).flatMap(([key, value]) => {
      const isSent = Object.hasOwn(known, key) && known[key] !== "";
      const path = ["environments", name, "session_env", key];
      if (value !== null && value !== "" && KEY_NAME.test(key)) {
        const message = `The value of \`${key}\` would be stored with the run. Write null here, and the value under \`secrets\` or in .env.`;
        const hide = setKeyTo(path, null);
        return [conflict("TRL224", path, message, { remedies: [preferred(hide)] })];
      }
      if (value !== null || isSent) return [];
      const message = `\`${key}\` is null, so it needs a secret of that name. Add \`${key}: null\` to \`secrets\`, or write the value here.`;
      const add = setTo(["environments", name, "secrets", key], null, `Add secrets.${key}: null`);
      return [conflict("TRL224", path, message, { remedies: [preferred(add)] })];
    });
  });
}

/** Advises against keys that are written for a server or an agent. */
function programEnvFindings({ environments }: Config): readonly Finding[] {
  return Object.entries(environments).flatMap(([name, { server, agent }]) =>
    Object.entries({ server, agent }).flatMap(([program, given]) =>
      Object.entries(given?.env ?? {}).flatMap(([key, value]) => {
        if (value === null || value === "" || !KEY_NAME.test(key)) return [];
        const path = ["environments", name, program, "env", key];
        const message = `The value of \`${key}\` is stored with the run. Write null here, and the value in .env.`;
        return [advice("TRL224", path, message, { remedies: [preferred(setKeyTo(path, null))] })];
      }),
    ),
  );
}

function adapterFindings({ model_name, train_attn, train_mlp, train_unembed }: Config) {
  // The embedded model's unembedding is tied to its embedding.
  const isAnything = train_attn || train_mlp || (train_unembed && !isLocalModel(model_name));
  if (isAnything) return [];
  const message = "The adapter changes nothing. Set `train_attn` or `train_mlp` to true.";
  const remedies = [preferred(setTo(["train_attn"], true))];
  return [conflict("TRL228", ["train_attn"], message, { relatedPaths: [["train_mlp"]], remedies })];
}

function rankFindings({ lora_rank }: Config): readonly Finding[] {
  if (Number.isInteger(Math.log2(lora_rank))) return [];
  const below = 2 ** Math.floor(Math.log2(lora_rank));
  const message = `The rank must be a power of two, such as ${below} or ${below * 2}; got ${lora_rank}.`;
  const path = ["lora_rank"];
  const remedies = [preferred(setTo(path, below)), setTo(path, below * 2)];
  return [conflict("TRL121", path, message, { remedies })];
}

function startFindings(config: Config): readonly Finding[] {
  const malformed = (["resume_from", "init_from"] as const).flatMap((key) => {
    const path = config[key];
    return path?.startsWith("tinker:") && !STATE_PATH.test(path) ? [malformedPath(key)] : [];
  });
  return [...malformed, ...twoStarts(config)];
}

function malformedPath(key: string): Finding {
  const message = "A run can only continue from a path of the form tinker://RUN/weights/NAME.";
  return conflict("TRL303", [key], message);
}

function twoStarts({ init_from, resume_from }: Config): readonly Finding[] {
  if (init_from === null || resume_from === null) return [];
  const message =
    "A run either continues (`resume_from`) or starts from weights (`init_from`); remove one of them.";
  const relatedPaths = [["resume_from"]];
  const remedies = [removal(["init_from"]), removal(["resume_from"])];
  return [conflict("TRL209", ["init_from"], message, { relatedPaths, remedies })];
}

function tokenFindings({ max_response_tokens, max_total_tokens }: Config): readonly Finding[] {
  if (max_response_tokens <= max_total_tokens) return [];
  const message = `A turn of ${max_response_tokens} tokens does not fit into a rollout of ${max_total_tokens} (\`max_total_tokens\`); turns are cut off earlier.`;
  const [path, other] = [["max_response_tokens"], ["max_total_tokens"]];
  const remedies = [preferred(setTo(path, max_total_tokens)), setKeyTo(other, max_response_tokens)];
  return [advice("TRL202", path, message, { relatedPaths: [other], remedies })];
}

function overlongFindings({ overlong_buffer, max_response_tokens }: Config): readonly Finding[] {
  if (overlong_buffer === null || overlong_buffer <= max_response_tokens) return [];
  const path = ["overlong_buffer"];
  const message = `The penalty for length begins ${overlong_buffer} tokens below a limit, but a turn has ${max_response_tokens} at most (\`max_response_tokens\`): every rollout would be penalized.`;
  const remedies = [removal(path)];
  return [conflict("TRL202", path, message, { relatedPaths: [["max_response_tokens"]], remedies })];
}

function learningRateFindings({ learning_rate, method, model_name }: Config): readonly Finding[] {
  if (method === "collect") return [];
  const path = ["learning_rate"];
  if (learning_rate === 0) {
    return [advice("TRL207", path, "With a learning rate of 0 the model does not change.")];
  }
  const rates = LEARNING_RATES[isLocalModel(model_name) ? "local" : method];
  const { high, low, usual, advised, what } = rates;
  if (learning_rate <= high && learning_rate >= low) return [];
  const side = learning_rate > high ? "high" : "low";
  const message = `A learning rate of ${learning_rate} is unusually ${side} for ${what} with LoRA at any rank; ${advised} is usual.`;
  const remedies = [preferred(setTo(path, usual, `Set to ${usual.toExponential()}`))];
  return [advice("TRL207", path, message, { remedies })];
}

function endFindings(config: Config, values: unknown): readonly Finding[] {
  if (config.method === "collect") return [];
  if (config.num_epochs !== null || config.max_steps !== null) return [];
  const addEnd = preferred(setTo(["num_epochs"], 1, "Add num_epochs: 1"));
  if (config.learning_rate_schedule !== "constant") {
    const message = `A ${config.learning_rate_schedule} schedule needs an end: add \`max_steps\` or \`num_epochs\`, or use \`constant\`.`;
    const remedies = [addEnd, setTo(["learning_rate_schedule"], "constant")];
    return [conflict("TRL205", ["learning_rate_schedule"], message, { remedies })];
  }
  if (config.save_every === 0) {
    const message =
      "The run has no end and saves no checkpoints: add `max_steps` or `num_epochs`, or set `save_every`.";
    const remedies = [addEnd, setTo(["save_every"], 10)];
    return [advice("TRL205", ["save_every"], message, { remedies })];
  }
  // A key written explicitly, even as null, was chosen on purpose.
  const isMeant = ["num_epochs", "max_steps"].some((key) => valueAt(values, [key]) !== undefined);
  if (isMeant) return [];
  const message = "The run trains until you stop it: add `num_epochs` or `max_steps`.";
  return [note("TRL205", [], message, { part: "key", remedies: [addEnd] })];
}

function loadFindings(config: Config): readonly Finding[] {
  const key =
    config.max_rollout_concurrency === null ? "max_active_tasks" : "max_rollout_concurrency";
  const atOnce = config[key] ?? 0;
  const found: Finding[] = [];
  if (atOnce > MAX_CONCURRENT_ROLLOUTS) {
    const message = `${formatCount(atOnce)} concurrent rollouts are more than one computer and most environments handle; up to ${formatCount(MAX_CONCURRENT_ROLLOUTS)} were tested.`;
    const remedies = [preferred(setTo([key], MAX_CONCURRENT_ROLLOUTS))];
    found.push(note("TRL206", [key], message, { remedies }));
  }
  return [...found, ...stepSizeFindings(config)];
}

function stepSizeFindings(config: Config): readonly Finding[] {
  // Supervised steps have no rollouts.
  if (config.method === "sft") return [];
  const groupSizes = Object.values(config.environments).map(({ num_rollouts }) => num_rollouts);
  const rollouts = config.batch_size * Math.max(0, ...groupSizes);
  const tokens = rollouts * config.max_total_tokens;
  const isLocal = isLocalModel(config.model_name);
  if (isLocal ? rollouts <= MANY_LOCAL_ROLLOUTS : tokens <= MANY_TOKENS_A_STEP) return [];
  const size = `Up to ${formatCount(rollouts)} rollouts and ${formatCount(tokens / 1e6)} million tokens per step`;
  const effect = isLocal
    ? "each step needs much time and memory on this computer."
    : "each step is slow and expensive.";
  return [note("TRL208", ["batch_size"], `${size}: ${effect}`)];
}

/** Splits that turn on shuffling although the run turns it off. */
function shuffleFindings({ shuffle, environments }: Config, values: unknown): readonly Finding[] {
  if (shuffle) return [];
  return Object.entries(environments).flatMap(([name, { splits }]) =>
    Object.keys(splits).flatMap((split) => {
      const path = ["environments", name, "splits", split, "shuffle"];
      if (valueAt(values, path) !== true) return [];
      const message =
        "This has no effect, because `shuffle: false` applies to the whole run. To shuffle only some splits, set it on the others.";
      const remedies = [removal(path)];
      return [advice("TRL217", path, message, { relatedPaths: [["shuffle"]], remedies })];
    }),
  );
}

function weightFindings({ method, mix, environments }: Config): readonly Finding[] {
  // For supervised runs, `mix` itself has a finding.
  if (method === "sft" || mix === "weighted") return [];
  return Object.entries(environments).flatMap(([name, { weight }]) => {
    if (weight === 1) return [];
    const message = "`weight` has no effect: add `mix: weighted`.";
    const remedies = [preferred(setKeyTo(["mix"], "weighted"))];
    const path = ["environments", name, "weight"];
    return [advice("TRL217", path, message, { relatedPaths: [["mix"]], remedies })];
  });
}

function trackerFindings(config: Config): readonly Finding[] {
  const { wandb, wandb_project_name } = config;
  if (wandb === "disabled" || wandb_project_name !== null) return [];
  const message =
    "Weights & Biases needs a project: add `wandb_project_name`, or set `wandb: disabled`.";
  const add = setTo(["wandb_project_name"], "tinker-rl", "Add wandb_project_name: tinker-rl");
  const disable = setKeyTo(["wandb"], "disabled");
  return [conflict("TRL111", ["wandb"], message, { remedies: [add, disable] })];
}

/**
 * Configurations of the original program that name projects and runs but do not enable reporting: it always reports, we only on request.
 */
function silentTrackerFindings(config: Config, values: unknown): readonly Finding[] {
  const found: Finding[] = [];
  const { wandb_project_name, openreward_run_name } = config;
  if (wandb_project_name !== null && valueAt(values, ["wandb"]) === undefined) {
    const message = "Nothing is sent to Weights & Biases until you set `wandb`.";
    const remedies = [
      preferred(setTo(["wandb"], "online", "Add wandb: online")),
      setTo(["wandb"], "disabled", "Add wandb: disabled"),
    ];
    found.push(advice("TRL214", ["wandb_project_name"], message, { remedies }));
  }
  const isUploadUnset = ["openreward_upload", "openreward_upload_evaluations"].every(
    (key) => valueAt(values, [key]) === undefined,
  );
  if (openreward_run_name !== null && isUploadUnset) {
    const message = "No rollouts are uploaded until you set `openreward_upload`.";
    const remedies = [
      preferred(setTo(["openreward_upload"], true, "Add openreward_upload: true")),
      setTo(["openreward_upload"], false, "Add openreward_upload: false"),
    ];
    found.push(advice("TRL214", ["openreward_run_name"], message, { remedies }));
  }
  return found;
}

function costFindings(config: Config): readonly Finding[] {
  const { fetch_prices, max_cost_usd, model_name, prices } = config;
  if (max_cost_usd === null || prices !== null) return [];
  const isLocal = isLocalModel(model_name);
  if (!isLocal && fetch_prices) return [];
  const why = isLocal
    ? "The price list has no prices of `local/…` models"
    : "With `fetch_prices: false` no prices are known";
  const message = `${why}, so the cost of the run is unknown. Set \`prices\`, or \`max_tokens_total\` instead.`;
  const path = ["max_cost_usd"];
  const remedies = [removal(path)];
  return [conflict("TRL219", path, message, { relatedPaths: [["prices"]], remedies })];
}

function refillFindings(config: Config): readonly Finding[] {
  if (!config.refill) return [];
  return [...keptGroupFindings(config), ...scheduleFindings(config)];
}

/** Groups with equal rewards that are trained on are never replaced. */
function keptGroupFindings(config: Config): readonly Finding[] {
  const isTrained = config.advantage_calculation === "direct" || learnsWithoutAdvantage(config);
  if (zeroVariancePolicy(config) === "drop" || !isTrained) return [];
  const isDirect = config.advantage_calculation === "direct";
  const cause = isDirect ? "`advantage_calculation: direct`" : "A teacher";
  const why = config.zero_variance === null ? cause : "`zero_variance: keep`";
  const message = `${why} trains on groups of equal rewards, so \`refill\` does not replace them. To replace them, set \`zero_variance\` to \`drop\`.`;
  const remedies = [preferred(setKeyTo(["zero_variance"], "drop"))];
  return [advice("TRL218", ["refill"], message, { relatedPaths: [["zero_variance"]], remedies })];
}

function scheduleFindings(config: Config): readonly Finding[] {
  const { learning_rate_schedule: schedule, max_steps, num_epochs } = config;
  if (schedule === "constant" || max_steps !== null || num_epochs === null) return [];
  const path = ["learning_rate_schedule"];
  const message = `A ${schedule} schedule spans the most steps that \`num_epochs\` can give. With \`refill\` the data ends earlier, while the learning rate is still high. Set \`max_steps\`, or use \`constant\`.`;
  const remedies = [setTo(path, "constant")];
  return [advice("TRL218", path, message, { relatedPaths: [["refill"]], remedies })];
}

function addressFindings(config: Config): readonly Finding[] {
  const { model_name, tinker_base_url, openreward_base_url } = config;
  const found: Finding[] = [...malformedAddresses(config)];
  if (tinker_base_url !== null && isLocalModel(model_name)) {
    const message = `\`${model_name}\` is trained by the embedded engine, so this address is not used. Remove it, or name a model that the service at this address trains.`;
    found.push(unused("tinker_base_url", message, "model_name"));
  }
  if (openreward_base_url !== null && environmentsOn(config, "shared").length === 0) {
    const message =
      "All environments are embedded (`local/…`) or have a `server` of their own, so this address is not used. Remove it, or name an environment of the server at this address.";
    found.push(unused("openreward_base_url", message, "environments"));
  }
  return found;
}

/** Texts that look like URLs but are invalid, such as one with two ports, or have a query, so that no path can be appended. */
function malformedAddresses(config: Config): readonly Finding[] {
  const servers = Object.entries(config.environments).map(
    ([name, { server }]) => [["environments", name, "server", "url"], server?.url] as const,
  );
  const all = [
    [["tinker_base_url"], config.tinker_base_url] as const,
    [["openreward_base_url"], config.openreward_base_url] as const,
    ...servers,
  ];
  return all.flatMap(([path, url]) => {
    if (url == null) return [];
    if (!URL.canParse(url)) {
      const message = `\`${url}\` is not a valid address. Write http://HOST:PORT or https://HOST.`;
      return [conflict("TRL120", path, message)];
    }
    const { search, hash } = new URL(url);
    if (search + hash === "") return [];
    const message = `\`${url}\` contains a query, which is not supported. Remove \`${search + hash}\`.`;
    return [conflict("TRL120", path, message)];
  });
}

function unused(key: string, message: string, other: string): Finding {
  const remedies = [preferred(removal([key]))];
  return advice("TRL213", [key], message, { relatedPaths: [[other]], remedies });
}
