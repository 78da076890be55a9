/** Plays tasks with a player in place of the model. The result is an ordinary rollout in the tokens of the model's format. */

import { AgentEpisode } from "../../core/agents/agentEpisode.ts";
import type { SplitChoice } from "../../core/config/taskChoices.ts";
import { AppError, assertNever, isAppError } from "../../core/errors.ts";
import type { TaskDifficulty } from "../../core/openreward/catalogue.ts";
import { splitFault } from "../../core/openreward/faults.ts";
import type {
  EnvironmentSession,
  RemoteEnvironment,
  ToolCallOutcome,
  ToolList,
} from "../../core/openreward/types.ts";
import { ChatPlayer } from "../../core/play/chatPlayer.ts";
import { type Player, randomPlayer } from "../../core/play/player.ts";
import { type News, PlayerSampler, unseenIn } from "../../core/play/playerSampler.ts";
import type { FileSystem } from "../../core/ports.ts";
import { noSuchTask } from "../../core/rollout/describeTask.ts";
import { EnvironmentGate } from "../../core/rollout/environmentGate.ts";
import { type FinishedRollout, runRollout } from "../../core/rollout/rollout.ts";
import type { RolloutRecord } from "../../core/runFolder/rollouts/rolloutRecord.ts";
import { requireAllowedRoute } from "../../core/secrets/hostBinding.ts";
import { redactingLog } from "../../core/secrets/redaction/redactingPorts.ts";
import type { Redactor } from "../../core/secrets/redaction/redactor.ts";
import type { SamplingClient } from "../../core/tinker/samplingClient.ts";
import { costOf, type Prices } from "../../core/usage/prices.ts";
import type { TokenUsage } from "../../core/usage/tokenUsage.ts";
import { raceAbort } from "../../core/util/abort.ts";
import { systemClock } from "../../node/clock.ts";
import { sha256 } from "../../node/hash.ts";
import { createHttpClient } from "../../node/http.ts";
import { namedRun } from "../../node/namedRun.ts";
import { systemRandom } from "../../node/random.ts";
import type { CallResult } from "../../shared/play.ts";
import { ChatServices } from "../chat/chatServices.ts";
import { chooseModel, isModelName } from "../chat/chooseModel.ts";
import { type OpenedTask, openTaskOf, type TaskRequest } from "../environments/openTask.ts";
import { requireBaseModel } from "../models/createModel.ts";
import { debugLog } from "../services/debugLog.ts";
import { type Surroundings, withSurroundings } from "../services/outsideOfRuns.ts";
import { loadListPrices } from "../usage/loadPriceList.ts";
import { StoredPlays } from "./storedPlays.ts";

/** Who plays a task. */
export type PlayerChoice =
  /** A person or a scripted list of calls. */
  | { readonly kind: "moves"; readonly name: string; readonly player: Player }
  /** Random calls that match the tools' schemas. */
  | { readonly kind: "random"; readonly seed: number }
  /** A model behind an OpenAI-compatible chat completions URL; `key` names the variable with its key. */
  | {
      readonly kind: "address";
      readonly url: string;
      readonly model: string;
      readonly key: string;
    }
  /** A checkpoint, a run folder, or a model name of the training service. */
  | { readonly kind: "model"; readonly target: string };

export interface PlayRequest extends TaskRequest {
  readonly player: PlayerChoice;
  /** True if the environment's agent plays, with the player as its model. */
  readonly byAgent: boolean;
  /** Number of tasks starting at `task`; those beyond the split's end are left out. */
  readonly tasks: number;
  /** Plays per task. */
  readonly rollouts: number;
  /** Number of concurrent plays. */
  readonly atOnce: number;
  /** True to store the plays in a run folder. */
  readonly isStored: boolean;
  /** Called before the first turn if the service knows others' results on the task. */
  readonly onDifficulty?: (known: TaskDifficulty) => void;
  /** Called when each task starts. */
  readonly onTask?: (place: TaskPlace) => void;
  /** Receives the prompt before a turn of a player other than `moves`, and then its output. */
  readonly onRead?: (text: string) => void;
  readonly onWritten?: (text: string) => void;
  /** Receives the result of each call. */
  readonly onResult?: (result: CallResult) => void;
  readonly onPlayed?: (played: EndedPlay) => void;
}

export interface TaskPlace extends SplitChoice {
  /** Index within the split, from 0. */
  readonly index: number;
}

export interface EndedPlay
  extends Pick<RolloutRecord, "group" | "rewards" | "reward" | "stop" | "error"> {
  readonly turns: number;
  /** How the agent program ended; undefined without an agent. */
  readonly agent: RolloutRecord["agent"];
  /** Results of the last turn's calls. */
  readonly last: readonly string[];
  readonly used: TokenUsage;
  /** Null if prices are unknown. */
  readonly costUsd: number | null;
}

export interface PlayResult {
  readonly played: readonly EndedPlay[];
  /** Folder of the stored plays; null if they are not stored. */
  readonly folder: string | null;
}

const NO_LIMIT_MS = 24 * 60 * 60 * 1000;
const NO_NEWS: News = { news: [], isNew: false };
const NO_TOOLS: ToolList = {
  tools: [],
  terminalTool: null,
  supportsGroupScoring: false,
  messageBlockTypes: [],
};

/**
 * Plays tasks until the player leaves. Completed plays are kept.
 * @throws AppError like a run that cannot start, `no-such-number` without the first task, `player-failed`, the reason of `signal`; cleaned
 * of secrets
 */
export function playTask(fileSystem: FileSystem, request: PlayRequest): Promise<PlayResult> {
  return withSurroundings(request.redactor, (surroundings) =>
    playWithin(fileSystem, request, surroundings),
  );
}

async function playWithin(
  fileSystem: FileSystem,
  request: PlayRequest,
  surroundings: Surroundings,
): Promise<PlayResult> {
  const { redactor, control } = surroundings;
  const { signal: asked } = request;
  const outer = asked === undefined ? control.signal : AbortSignal.any([control.signal, asked]);
  const ofPlayer = await modelOverrides(fileSystem, request.player);
  const wanted = { ...request, overrides: [...request.overrides, ...ofPlayer] };
  const opened = await raceAbort(openTaskOf(fileSystem, wanted, surroundings), outer);
  requireAgent(request, opened);
  const count = Math.min(request.tasks, await tasksLeft(opened, outer));
  const found = await raceAbort(findPlayer(fileSystem, request, opened, surroundings), outer);
  const { environment, split, settings } = opened;
  const temperature = found.kind === "sampler" ? settings.temperature : 1;
  const plays = new StoredPlays({
    fileSystem,
    loaded: opened.loaded,
    cell: { environment, split, temperature },
    player: found.name,
    path: found.kind === "sampler" ? found.path : null,
    redactor,
    serverOutput: opened.serverOutput,
  });
  const tasks = new PlayedTasks(request, opened, found, redactor);
  try {
    await playAll({ ...request, tasks: count }, outer, async (task, rollout, signal) => {
      const played = await tasks.play(task, rollout, signal);
      if (request.isStored) await plays.add(played);
    });
  } catch (error) {
    const hasLeft = isAppError(error, "stopped") && !outer.aborted;
    if (!hasLeft) throw error;
  } finally {
    // Also after the player has left, for the plays before that.
    tasks.folder = await plays.end();
  }
  return tasks;
}

/** Number of tasks from the first one to the split's end. @throws AppError `no-such-split`, `no-such-number` */
async function tasksLeft(
  opened: Pick<OpenedTask, "remote" | "split" | "index">,
  signal: AbortSignal,
): Promise<number> {
  try {
    const asking = opened.remote.numTasks(opened.split, { signal });
    const count = await asking.catch(async (error: unknown) => {
      throw await splitFault(error, opened);
    });
    if (opened.index >= count) throw noSuchTask(opened, count);
    return count - opened.index;
  } finally {
    await opened.remote.release();
  }
}

/** Plays each task the requested number of times. The first error ends all plays. @throws the error of a play */
async function playAll(
  { tasks, rollouts, atOnce }: Pick<PlayRequest, "tasks" | "rollouts" | "atOnce">,
  outer: AbortSignal,
  play: (task: number, rollout: number, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const ending = new AbortController();
  const signal = AbortSignal.any([outer, ending.signal]);
  const count = tasks * rollouts;
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < count && !signal.aborted; i = next++) {
      try {
        await play(Math.floor(i / rollouts), i % rollouts, signal);
      } catch (error) {
        ending.abort(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, worker));
  signal.throwIfAborted();
}

/** @throws AppError `bad-arguments` */
function requireAgent({ byAgent }: PlayRequest, { agent, environment }: OpenedTask): void {
  if (!byAgent || agent !== null) return;
  throw new AppError(
    "bad-arguments",
    `No agent plays ${environment}: set environments.${environment}.agent, or play without --agent.`,
  );
}

/** A model given by name is sampled in its own chat format. */
async function modelOverrides(
  fileSystem: FileSystem,
  player: PlayerChoice,
): Promise<readonly string[]> {
  if (player.kind !== "model") return [];
  const { target } = player;
  const isName = isModelName(target) && (await namedRun(fileSystem, target)) === null;
  return isName ? [`model_name=${target}`] : [];
}

/** Plays with a player, or with a model's weights. */
type FoundPlayer =
  | {
      readonly kind: "player";
      readonly name: string;
      readonly prices: null;
      readonly playerOf: (task: number) => Player;
    }
  | {
      readonly kind: "sampler";
      readonly name: string;
      readonly path: string | null;
      readonly prices: Prices | null;
      readonly sampler: SamplingClient;
    };

async function findPlayer(
  fileSystem: FileSystem,
  request: PlayRequest,
  { loaded, variables }: Pick<OpenedTask, "loaded" | "variables">,
  { redactor, cleanup }: Pick<Surroundings, "redactor" | "cleanup">,
): Promise<FoundPlayer> {
  const { player, allowedOrigins } = request;
  switch (player.kind) {
    case "moves":
      return { kind: "player", name: player.name, prices: null, playerOf: () => player.player };
    case "random":
      return {
        kind: "player",
        name: `random-${player.seed}`,
        prices: null,
        playerOf: (task) => randomPlayer(player.seed + task),
      };
    case "address": {
      const { url, model } = player;
      const value = variables(player.key);
      const key = value === null ? null : { ...value, name: player.key };
      redactor.learn(key?.value ?? "");
      const keys = key === null ? [] : [key];
      requireAllowedRoute({ keys, url, address: null, officialUrl: url, allowedOrigins });
      const http = createHttpClient();
      cleanup.add(() => http.close());
      const options = { http, clock: systemClock, random: systemRandom, url, model, key };
      return {
        kind: "player",
        name: model,
        prices: null,
        playerOf: () => new ChatPlayer(options),
      };
    }
    case "model": {
      const services = new ChatServices({
        cleanup,
        redactor,
        allowedOrigins,
        launchRequest: request.launchRequest,
        programFolder: request.programFolder,
        onNotice: request.onPart,
      });
      const { target } = player;
      const configPath = loaded.path;
      const { overrides } = request;
      const chosen = await chooseModel(fileSystem, {
        target,
        configPath,
        runFolder: null,
        overrides,
      });
      request.onPart(`opening ${chosen.label}`);
      const service = await services.model(loaded);
      const { sampler, label } = await chosen.open(service);
      requireBaseModel(sampler.baseModel, loaded.config, label);
      const path = target.startsWith("tinker://") ? target : null;
      const found = await loadListPrices({
        // The budget is meant for training.
        config: { ...loaded.config, max_cost_usd: null },
        address: service.address,
        folder: null,
        log: redactingLog(debugLog, redactor),
        signal: request.signal ?? services.signal,
      });
      const prices = loaded.config.prices ?? found?.prices ?? null;
      return { kind: "sampler", name: label, path, prices, sampler };
    }
    default:
      return assertNever(player);
  }
}

class PlayedTasks implements PlayResult {
  readonly played: EndedPlay[] = [];
  folder: string | null = null;
  readonly #request: PlayRequest;
  readonly #opened: OpenedTask;
  readonly #player: FoundPlayer;
  readonly #redactor: Redactor;
  #difficulties: Promise<readonly TaskDifficulty[]> | null = null;

  constructor(request: PlayRequest, opened: OpenedTask, player: FoundPlayer, redactor: Redactor) {
    this.#request = request;
    this.#opened = opened;
    this.#player = player;
    this.#redactor = redactor;
  }

  /** @throws AppError as {@link playTask} */
  async play(task: number, rollout: number, signal: AbortSignal): Promise<FinishedRollout> {
    const { onTask, onDifficulty, onResult, onPlayed } = this.#request;
    const { chat, environment, split, settings, remote } = this.#opened;
    const { byAgent, player } = this.#request;
    const agent = byAgent ? this.#opened.agent : null;
    const isTimed = byAgent && player.kind !== "moves";
    const index = this.#opened.index + task;
    onTask?.({ environment, split, index });
    if (onDifficulty !== undefined) {
      this.#difficulties ??= this.#opened.difficulties();
      const known = (await this.#difficulties).find((each) => each.index === index);
      if (known !== undefined) onDifficulty(known);
    }
    const sessions = new WatchedSessions(remote, (name, outcome) =>
      onResult?.(this.#callResult(name, outcome)),
    );
    let untaken: News = NO_NEWS;
    const takeNews = (): News => {
      const taken = untaken;
      untaken = NO_NEWS;
      return taken;
    };
    const ended = await runRollout(
      {
        gate: new EnvironmentGate({
          remote: sessions,
          clock: systemClock,
          random: systemRandom,
          maxSessions: 1,
        }),
        sampler: this.#sampler(task, sessions, takeNews),
        chat,
        // A person may take any time, and nothing is retried.
        settings: {
          ...settings,
          rolloutTimeoutMs: isTimed ? settings.rolloutTimeoutMs : NO_LIMIT_MS,
          samplingTimeoutMs: NO_LIMIT_MS,
          maxRetries: 0,
          recomputesLogprobs: false,
          recordsStability: false,
          teacher: null,
        },
        clock: systemClock,
        random: systemRandom,
        log: redactingLog(debugLog, this.#redactor),
        sampleSlot: async () => () => undefined,
        newEpisode:
          agent === null
            ? undefined
            : (own) => new AgentEpisode({ ...own, agent, sha256, task: { split, index } }),
        seedOf: () => undefined,
        onMessages: (news, isNew) => {
          untaken = isNew ? { news, isNew } : { ...untaken, news: [...untaken.news, ...news] };
        },
      },
      { step: 0, group: task, rollout, taskKey: "play", environment, split, index },
      signal,
    );
    const finished = ended.finish();
    const played = this.#endedPlay(finished);
    this.played.push(played);
    onPlayed?.(played);
    return finished;
  }

  #sampler(task: number, sessions: WatchedSessions, takeNews: () => News): SamplingClient {
    const { chat } = this.#opened;
    const found = this.#player;
    if (found.kind === "sampler") return this.#shown(found.sampler);
    const player = found.playerOf(task);
    const redactor = this.#redactor;
    // A player can be another service, which must not see the environment's secrets.
    const cleaned: Player = {
      move: (view, until) => {
        const text = redactor.redact(view.text);
        const news = view.news.map((each) => ({ ...each, content: redactor.redact(each.content) }));
        return player.move({ ...view, text, news }, until);
      },
    };
    const tools = (): ToolList => sessions.known;
    const sampler = new PlayerSampler({ player: cleaned, chat, tools, takeNews });
    return this.#request.player.kind === "moves" ? sampler : this.#shown(sampler);
  }

  /** Reports prompts and output. */
  #shown(sampler: SamplingClient): SamplingClient {
    const { onRead, onWritten } = this.#request;
    const textOf = (ids: ArrayLike<number>): string =>
      this.#redactor.redact(this.#opened.chat.tokenizer.decode(Array.from(ids)));
    let seen: readonly number[] = [];
    return {
      samplerId: sampler.samplerId,
      baseModel: sampler.baseModel,
      computeLogprobs: (...args) => sampler.computeLogprobs(...args),
      sample: async (request, options) => {
        onRead?.(textOf(unseenIn(request.prompt, seen)));
        const sample = await sampler.sample(request, options);
        onWritten?.(textOf(sample.tokens));
        seen = [...request.prompt, ...sample.tokens];
        return sample;
      },
    };
  }

  #callResult(name: string, outcome: ToolCallOutcome): CallResult {
    if (outcome.kind === "rejected") {
      const text = this.#redactor.redact(outcome.error);
      return { name, text, images: [], reward: null, isError: true };
    }
    const { blocks, reward } = outcome;
    const texts = blocks.flatMap((block) => (block.type === "text" ? block.text : []));
    const images = blocks.flatMap((block) =>
      block.type === "image" ? `data:${block.mimeType};base64,${block.data}` : [],
    );
    return { name, text: this.#redactor.redact(texts.join("\n")), images, reward, isError: false };
  }

  #endedPlay({ record, facts }: FinishedRollout): EndedPlay {
    const redactor = this.#redactor;
    const { agent, group, turns, rewards, reward, stop, error } = record;
    const { used } = facts.usage;
    const { prices } = this.#player;
    return {
      group,
      turns: turns.length,
      agent: agent === undefined ? undefined : { ...agent, output: redactor.redact(agent.output) },
      rewards,
      reward,
      stop,
      error: error === null ? null : redactor.redact(error),
      last: turns.at(-1)?.results.map(({ text }) => redactor.redact(text)) ?? [],
      used,
      costUsd: prices === null ? null : costOf(used, prices),
    };
  }
}

/** Environment sessions whose tools and results are observed. */
class WatchedSessions implements Pick<RemoteEnvironment, "openSession" | "splits" | "release"> {
  readonly splits: RemoteEnvironment["splits"];
  readonly release: RemoteEnvironment["release"];
  readonly #remote: RemoteEnvironment;
  readonly #onOutcome: (name: string, outcome: ToolCallOutcome) => void;
  /** Tools of the most recently opened session. */
  known: ToolList = NO_TOOLS;

  constructor(
    remote: RemoteEnvironment,
    onOutcome: (name: string, outcome: ToolCallOutcome) => void,
  ) {
    this.#remote = remote;
    this.#onOutcome = onOutcome;
    this.splits = (options) => remote.splits(options);
    this.release = () => remote.release();
  }

  async openSession(
    ...args: Parameters<RemoteEnvironment["openSession"]>
  ): Promise<EnvironmentSession> {
    const session = await this.#remote.openSession(...args);
    return {
      id: session.id,
      ended: session.ended,
      prompt: (options) => session.prompt(options),
      tools: async (options) => {
        this.known = await session.tools(options);
        return this.known;
      },
      callTool: async (name, input, options) => {
        const outcome = await session.callTool(name, input, options);
        this.#onOutcome(name, outcome);
        return outcome;
      },
      scoreGroup: (candidates, options) => session.scoreGroup(candidates, options),
      close: () => session.close(),
    };
  }
}
