/** Rules across the fields of one environment. */

import { nearestWord, nearestWords } from "../../../shared/editDistance.ts";
import { isLoopbackHost } from "../../util/loopback.ts";
import { AGENT_VALUES, PROTOCOL_VARIABLES } from "../fields/agentFields.ts";
import { datasetFields } from "../fields/environmentFields.ts";
import { EMBEDDED_ENVIRONMENT_NAMES, isDatasetEnvironment } from "../fields/presets.ts";
import type { Config, EnvironmentConfig } from "../fields/schema.ts";
import { advice, conflict, type Finding } from "../source/finding.ts";
import type { KeyPath } from "../source/keyPath.ts";
import { changeTo, preferred, removal, renamesOf, setKeyTo, setTo } from "../source/remedy.ts";

/** How many rollouts of a group must succeed for a comparison. */
const MIN_SUCCESSES = 2;

const DATA_FILE = /\.(jsonl|csv|parquet)$/i;
/** `Object.keys` loses the key type; the table has exactly these keys. */
const datasetKeys = Object.keys(datasetFields) as readonly (keyof typeof datasetFields)[];

/** Findings about the environment at `path`. */
export function environmentFindings(
  path: KeyPath,
  environment: EnvironmentConfig,
): readonly Finding[] {
  return [
    ...nameFindings(path),
    ...serverFindings(path, environment),
    ...datasetFindings(path, environment),
    ...groupFindings(path, environment),
    ...rewardFindings(path, environment),
  ];
}

/** Checks that a name starting with `local/` is one of the program's own environments. */
export function nameFindings(path: KeyPath): readonly Finding[] {
  const name = path.at(-1) ?? "";
  const known: readonly string[] = [...EMBEDDED_ENVIRONMENT_NAMES, "local/dataset"];
  if (!name.startsWith("local/") || known.includes(name) || isDatasetEnvironment(name)) return [];
  const near = nearestWords(name, known);
  const hint =
    near.length === 0
      ? `There are ${known.map((each) => `\`${each}\``).join(", ")}.`
      : `Did you mean \`${near[0]}\`?`;
  const remedies = renamesOf(path, near);
  const message = `There is no embedded environment \`${name}\`. ${hint}`;
  return [conflict("TRL300", path, message, { part: "key", remedies })];
}

function serverFindings(path: KeyPath, { server }: EnvironmentConfig): readonly Finding[] {
  if (server === null) return [];
  const own = [...path, "server"];
  const name = path.at(-1) ?? "";
  if (name.startsWith("local/")) {
    const message = `\`${name}\` is embedded and has no server of its own. Remove \`server\`, or give the environment a name that does not begin with \`local/\`.`;
    const remedies = [preferred(removal(own))];
    return [conflict("TRL221", own, message, { part: "key", remedies })];
  }
  const { url, command } = server;
  if (server.bridge !== null) return bridgeFindings(own, server);
  const stray = (["id", "args", "python"] as const).find((key) => server[key] !== null);
  if (stray !== undefined) {
    const message = `\`${stray}\` is for a \`bridge\`: add \`bridge: reasoning-gym\`, or another library.`;
    return [conflict("TRL221", [...own, stray], message, { part: "key" })];
  }
  if (url === null && command === null) {
    const message =
      "The server needs an address, a command or a bridge: add `url: http://HOST:PORT`, `command: [python, environment.py]`, or `bridge` with an `id`.";
    return [conflict("TRL221", own, message, { part: "key" })];
  }
  if (url === null || command === null || isOnThisComputer(url)) return [];
  const message = `A command is started on this computer, but its address ${url} is on another one. Remove \`command\`, or give the port at which it listens: http://127.0.0.1:PORT.`;
  const related = [[...own, "command"]];
  return [conflict("TRL221", [...own, "url"], message, { relatedPaths: related })];
}

/** A bridge needs an `id`, and neither `command` nor `url`, because the trainer starts its server. */
function bridgeFindings(
  own: KeyPath,
  server: NonNullable<EnvironmentConfig["server"]>,
): readonly Finding[] {
  if (server.id === null) {
    const message = `A bridge needs \`id\`: the name of an environment of ${server.bridge}.`;
    return [conflict("TRL221", own, message, { part: "key" })];
  }
  return (["command", "url"] as const).flatMap((key) => {
    if (server[key] === null) return [];
    const path = [...own, key];
    const message = `The trainer starts the server of a \`bridge\` by itself. Remove \`${key}\`, or remove \`bridge\`.`;
    const remedies = [removal(path)];
    return [conflict("TRL221", path, message, { part: "key", remedies })];
  });
}

function isOnThisComputer(url: string): boolean {
  return !URL.canParse(url) || isLoopbackHost(new URL(url).hostname);
}

/** A dataset needs its file; no other environment may have dataset fields. */
function datasetFindings(path: KeyPath, environment: EnvironmentConfig): readonly Finding[] {
  const { tasks, split_fractions } = environment;
  const name = path.at(-1) ?? "";
  if (!isDatasetEnvironment(name)) {
    return datasetKeys.flatMap((key) => {
      if (environment[key] === null) return [];
      const place = [...path, key];
      const message = `Only a \`local/dataset\` environment has \`${key}\`. Remove it, or call the environment \`local/dataset\`.`;
      const remedies = [removal(place)];
      return [conflict("TRL223", place, message, { part: "key", remedies })];
    });
  }
  const found: Finding[] = [];
  if (tasks === null) {
    const message = "A dataset needs `tasks`: the file with its questions and answers.";
    const add = setTo([...path, "tasks"], "questions.jsonl", "Add tasks: questions.jsonl");
    found.push(conflict("TRL223", path, message, { part: "key", remedies: [preferred(add)] }));
  } else if (!DATA_FILE.test(tasks)) {
    const message = "A dataset is a .jsonl, .csv or .parquet file. Convert it, or name another.";
    found.push(conflict("TRL223", [...path, "tasks"], message));
  }
  const total = Object.values(split_fractions ?? { all: 1 }).reduce((sum, part) => sum + part, 0);
  if (Math.abs(total - 1) > 1e-6) {
    const message = `The shares of the splits must add up to 1, not ${Number(total.toPrecision(6))}.`;
    found.push(conflict("TRL223", [...path, "split_fractions"], message));
  }
  return found;
}

function groupFindings(
  path: KeyPath,
  { num_rollouts, max_failing_rollouts }: EnvironmentConfig,
): readonly Finding[] {
  const most = num_rollouts - MIN_SUCCESSES;
  if (max_failing_rollouts <= most) return [];
  const message =
    `At least two rollouts of a group must succeed to be compared, but ${max_failing_rollouts} of ${num_rollouts} may fail. ` +
    `Lower it to ${most} or raise \`num_rollouts\`.`;
  const own = [...path, "max_failing_rollouts"];
  const other = [...path, "num_rollouts"];
  const enough = max_failing_rollouts + MIN_SUCCESSES;
  const remedies = [preferred(setTo(own, most)), setKeyTo(other, enough)];
  return [conflict("TRL200", own, message, { relatedPaths: [other], remedies })];
}

function rewardFindings(
  path: KeyPath,
  { min_reward, max_reward }: EnvironmentConfig,
): readonly Finding[] {
  if (min_reward === null || max_reward === null || min_reward <= max_reward) return [];
  const message = `The lower bound ${min_reward} is above \`max_reward\` ${max_reward}; swap them.`;
  const own = [...path, "min_reward"];
  const other = [...path, "max_reward"];
  const swap = { kind: "swap", path: own, other, title: "Swap min_reward and max_reward" } as const;
  const remedies = [preferred(swap)];
  return [conflict("TRL201", own, message, { relatedPaths: [other], remedies })];
}

/** Findings about sampling that differs from the policy's distribution. */
export function samplingFindings(
  path: KeyPath,
  { temperature, top_p, top_k }: EnvironmentConfig,
): readonly Finding[] {
  const found: Finding[] = [];
  const add = (key: string, message: string, valid: number | null): void => {
    const place = [...path, key];
    const remedies = [preferred(setTo(place, valid))];
    found.push(advice("TRL203", place, message, { remedies }));
  };
  const offPolicy = "Log-probabilities do not account for this, so training becomes off-policy.";
  if (temperature === 0) {
    const message = "At temperature 0 all rollouts of a group are the same and nothing is learned.";
    add("temperature", message, 1);
  } else if (temperature !== 1) {
    add("temperature", `The temperature is not 1. ${offPolicy}`, 1);
  }
  if (top_p !== null && top_p < 1) {
    add("top_p", `Sampling is truncated at top_p ${top_p}. ${offPolicy}`, 1);
  }
  // 0 means off.
  if (top_k !== null && top_k > 0)
    add("top_k", `Sampling is truncated at top_k ${top_k}. ${offPolicy}`, null);
  return found;
}

export function agentFindings(config: Config): readonly Finding[] {
  return Object.entries(config.environments).flatMap(([name, { agent, teacher }]) => {
    if (agent === null) return [];
    const path = ["environments", name, "agent"];
    const found: Finding[] = [];
    const isOwn = teacher !== null;
    if (((teacher ?? config.teacher)?.context ?? null) !== null) {
      const context = [...(isOwn ? ["environments", name] : []), "teacher", "context"];
      const message =
        "A teacher of an agent reads what the agent writes, so it has no `context`. Remove it, or remove `agent`.";
      const remedies = [preferred(removal(context))];
      found.push(conflict("TRL231", context, message, { relatedPaths: [path], remedies }));
    }
    if (agent.reward_command !== null && agent.reward === "output") {
      const own = [...path, "reward"];
      const message = "`reward_command` takes the place of `reward`.";
      const remedies = [removal(own)];
      const related = [[...path, "reward_command"]];
      found.push(advice("TRL231", own, message, { relatedPaths: related, remedies }));
    }
    found.push(...variableFindings([...path, "env"], agent));
    const { command, reward_command } = agent;
    for (const [key, parts] of Object.entries({ command, reward_command })) {
      found.push(
        ...(parts ?? []).flatMap((part, at) => valueFindings([...path, key, `${at}`], part)),
      );
    }
    return found;
  });
}

/** Variables that the trainer sets for each rollout. With a value from the file, every request would be refused. */
function variableFindings(
  path: KeyPath,
  { protocol, env }: NonNullable<EnvironmentConfig["agent"]>,
): readonly Finding[] {
  const set: readonly string[] = Object.values(PROTOCOL_VARIABLES[protocol]);
  return Object.keys(env ?? {}).flatMap((name) => {
    if (!set.includes(name) && !name.startsWith("TINKER_RL_")) return [];
    const own = [...path, name];
    const message = `The trainer sets \`${name}\` for each rollout. Remove it; a model of the agent's own needs a variable of another name.`;
    return [conflict("TRL232", own, message, { part: "key", remedies: [preferred(removal(own))] })];
  });
}

/** Misspelled placeholders. Other words in braces may be meant for the program. */
function valueFindings(path: KeyPath, part: string): readonly Finding[] {
  return [...part.matchAll(/\{(\w+)\}/g)].flatMap(([whole, name = ""]) => {
    const near = nearestWord(name, AGENT_VALUES);
    if (near === null || near === name) return [];
    const message = `\`${whole}\` is not a placeholder. Did you mean \`{${near}}\`?`;
    const remedies = [
      preferred(
        changeTo(
          path,
          part.replace(whole, () => `{${near}}`),
        ),
      ),
    ];
    return [advice("TRL231", path, message, { remedies })];
  });
}
