/** An episode on the server: its state, its sequential calls, and their results, kept for 60 s. */

import { randomUUID } from "node:crypto";
import { errorMessage } from "../../../core/errors.ts";
import type { JsonObject } from "../../../core/json.ts";
import type { Clock } from "../../../core/ports.ts";
import type { ContentBlock } from "../environment.ts";
import { asciiJson, type StreamOutcome } from "./eventWriter.ts";
import type { HostedEnvironment } from "./hostedEnvironment.ts";
import { checkInput } from "./toolInput.ts";

/** How long a call's result can be requested again, as on the reference server. */
const RESULT_KEPT_MS = 60_000;

type RejectionReason = "not_found" | "input_validation" | "episode_finished";

export interface Call {
  readonly taskId: string;
  readonly outcome: Promise<StreamOutcome>;
}

interface KeptCall extends Call {
  endedAtMs: number | null;
}

export class Session {
  readonly hosted: HostedEnvironment;
  readonly #task: JsonObject;
  readonly #state: unknown;
  readonly #clock: Clock;
  readonly #calls = new Map<string, KeptCall>();
  #queue: Promise<unknown> = Promise.resolve();
  #isFinished = false;
  #isClosed = false;

  /** Starts the episode; errors of the environment's `start` propagate. */
  constructor(dependencies: {
    readonly hosted: HostedEnvironment;
    readonly task: JsonObject;
    readonly clock: Clock;
  }) {
    this.hosted = dependencies.hosted;
    this.#task = dependencies.task;
    this.#clock = dependencies.clock;
    this.#state = dependencies.hosted.definition.start(dependencies.task);
  }

  /** Blocks of the system message; empty if there is none. */
  system(): readonly JsonObject[] {
    const text = this.hosted.definition.system?.(this.#task) ?? "";
    return text === "" ? [] : wireBlocks(text);
  }

  prompt(): readonly JsonObject[] {
    const { definition } = this.hosted;
    return wireBlocks(definition.prompt(this.#task), definition.promptBlocks?.(this.#task));
  }

  /** Queues a call after the session's earlier calls; it runs even if nobody reads its result. */
  startCall(name: string, input: JsonObject): Call {
    const outcome = this.#queue.then(() => this.#run(name, input));
    const call: KeptCall = {
      taskId: randomUUID().replaceAll("-", ""),
      outcome,
      endedAtMs: null,
    };
    this.#queue = outcome.then(() => {
      call.endedAtMs = this.#clock.monotonic();
    });
    this.#calls.set(call.taskId, call);
    return call;
  }

  /** The call with this id, if it is running or ended less than 60 s ago. */
  findCall(taskId: string): Call | undefined {
    this.dropOldCalls();
    return this.#calls.get(taskId);
  }

  dropOldCalls(): void {
    const limit = this.#clock.monotonic() - RESULT_KEPT_MS;
    for (const [taskId, call] of this.#calls) {
      if (call.endedAtMs !== null && call.endedAtMs <= limit) this.#calls.delete(taskId);
    }
  }

  hasRunningCall(): boolean {
    return [...this.#calls.values()].some((call) => call.endedAtMs === null);
  }

  /** Calls still in the queue will not run. */
  close(): void {
    this.#isClosed = true;
  }

  async #run(name: string, input: JsonObject): Promise<StreamOutcome> {
    const { tools } = this.hosted.definition;
    const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
    if (this.#isClosed) return { kind: "error", message: "Session deleted" };
    if (tool === undefined) return rejected(`'${name}' is not a valid tool`, "not_found");
    if (this.#isFinished) {
      const error = `'${name}' was not run: the episode has finished (a tool returned finished=True), so no further tool calls are accepted.`;
      return rejected(error, "episode_finished");
    }
    const checked = checkInput(tool, input);
    if (checked.kind === "invalid") return rejected(checked.error, "input_validation");
    try {
      const result = await tool.run(this.#state, checked.args);
      const finished = result.finished ?? false;
      this.#isFinished = finished;
      const output = {
        blocks: wireBlocks(result.text, result.blocks),
        metadata: result.metadata ?? null,
        reward: result.reward ?? null,
        finished,
      };
      return { kind: "result", json: asciiJson({ ok: true, output }) };
    } catch (error) {
      return { kind: "error", message: errorMessage(error) };
    }
  }
}

/** Sends all keys of a block, even a null `detail`, because older clients read it unconditionally. */
function wireBlocks(
  text: string,
  blocks: readonly ContentBlock[] = [{ type: "text", text }],
): readonly JsonObject[] {
  return blocks.map((block) => ({ ...block, detail: block.detail ?? null }));
}

function rejected(error: string, reason: RejectionReason): StreamOutcome {
  return { kind: "result", json: asciiJson({ ok: false, error, reason }) };
}
