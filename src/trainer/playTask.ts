/** Plays one task with a player in the place of the model. What is played is a rollout like any other, in the tokens of the model's format. */

import type { TaskDifficulty } from "../core/openreward/catalogue.ts";
import type { EnvironmentSession, RemoteEnvironment, ToolList } from "../core/openreward/types.ts";
import type { Player } from "../core/play/player.ts";
import { PlayerSampler } from "../core/play/playerSampler.ts";
import type { FileSystem } from "../core/ports.ts";
import { EnvironmentGate } from "../core/rollout/environmentGate.ts";
import { runRollout } from "../core/rollout/rollout.ts";
import type { RolloutRecord } from "../core/runFolder/rollouts/rolloutRecord.ts";
import { redactingLog } from "../core/secrets/redaction/redactingPorts.ts";
import { Redactor } from "../core/secrets/redaction/redactor.ts";
import { RunControl } from "../core/training/run/control.ts";
import { systemClock } from "../node/clock.ts";
import { systemRandom } from "../node/random.ts";
import { debugLog } from "./debugLog.ts";
import { openTaskOf, type TaskRequest } from "./openTask.ts";
import { CleanupStack } from "./services/cleanupStack.ts";

export interface PlayRequest extends TaskRequest {
  readonly player: Player;
  /** Called before the first turn where the service knows how others fared in the task. */
  readonly onDifficulty: (known: TaskDifficulty) => void;
  /** Called with the reward of each call that the environment scores. */
  readonly onReward: (reward: number) => void;
}

export interface PlayResult extends Pick<RolloutRecord, "rewards" | "reward" | "stop" | "error"> {
  readonly turns: number;
  /** What the calls of the last turn brought. */
  readonly last: readonly string[];
}

const NO_LIMIT_MS = 24 * 60 * 60 * 1000;
const NO_TOOLS: ToolList = {
  tools: [],
  terminalTool: null,
  supportsGroupScoring: false,
  messageBlockTypes: [],
};

/** @throws AppError as a run does that cannot begin, `stopped` when the player leaves; cleaned of secrets */
export async function playTask(fileSystem: FileSystem, request: PlayRequest): Promise<PlayResult> {
  const { player, onReward, redactor = new Redactor(), signal } = request;
  const cleanup = new CleanupStack();
  const control = new RunControl();
  try {
    const opened = await openTaskOf(fileSystem, request, { redactor, cleanup, control });
    const { chat, environment, split, index, settings, remote } = opened;
    const cleaned: Player = {
      move: (view, until) => player.move({ ...view, text: redactor.redact(view.text) }, until),
    };
    const known = await opened.difficulty();
    if (known !== null) request.onDifficulty(known);
    const watched = new WatchedSessions(remote, onReward);
    const rollout = await runRollout(
      {
        gate: new EnvironmentGate({
          remote: watched,
          clock: systemClock,
          random: systemRandom,
          maxSessions: 1,
        }),
        sampler: new PlayerSampler({ player: cleaned, chat, tools: () => watched.known }),
        chat,
        // A player takes the time that it takes, and nothing is played twice.
        settings: {
          ...settings,
          rolloutTimeoutMs: NO_LIMIT_MS,
          samplingTimeoutMs: NO_LIMIT_MS,
          maxRetries: 0,
          recomputesLogprobs: false,
        },
        clock: systemClock,
        random: systemRandom,
        log: redactingLog(debugLog, redactor),
        sampleSlot: async () => () => undefined,
        seedOf: () => undefined,
      },
      { step: 0, group: 0, rollout: 0, taskKey: "play", environment, split, index },
      signal ?? control.signal,
    );
    const { record } = rollout.finish();
    const { turns, rewards, reward, stop, error } = record;
    const last = turns.at(-1)?.results.map(({ text }) => redactor.redact(text)) ?? [];
    return {
      turns: turns.length,
      rewards,
      reward,
      stop,
      error: error === null ? null : redactor.redact(error),
      last,
    };
  } catch (error) {
    throw redactor.redactError(error);
  } finally {
    control.stop();
    await cleanup.closeAll();
  }
}

/** Sessions of an environment, whose tools and rewards someone follows. */
class WatchedSessions implements Pick<RemoteEnvironment, "openSession" | "splits" | "release"> {
  readonly splits: RemoteEnvironment["splits"];
  readonly release: RemoteEnvironment["release"];
  readonly #remote: RemoteEnvironment;
  readonly #onReward: (reward: number) => void;
  /** Of the session that was opened last. */
  known: ToolList = NO_TOOLS;

  constructor(remote: RemoteEnvironment, onReward: (reward: number) => void) {
    this.#remote = remote;
    this.#onReward = onReward;
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
        if (outcome.kind === "result" && outcome.reward !== null) this.#onReward(outcome.reward);
        return outcome;
      },
      scoreGroup: (candidates, options) => session.scoreGroup(candidates, options),
      close: () => session.close(),
    };
  }
}
