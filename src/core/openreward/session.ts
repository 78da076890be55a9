/** One open session: its prompt, tools, calls, keep-alive and end. */

import * as z from "zod";
import { AppError } from "../errors.ts";
import { withLimit } from "../util/abort.ts";
import { type ExactJsonObject, parseExactJson } from "../util/exactJson.ts";
import { environmentFault, protocolFault } from "./faults.ts";
import { keepAlive } from "./keepAlive.ts";
import {
  callReply,
  messagesReply,
  promptReply,
  readBlocks,
  readMessages,
  readOutcome,
  toolsReply,
  type UnknownBlockListener,
} from "./replies.ts";
import {
  createEpisode,
  lacksVersion,
  releaseSession,
  reserveSession,
  type StepWaits,
  secretsHeader,
} from "./sessionSteps.ts";
import { runStreamedJob, type StreamedJob } from "./streamedJob.ts";
import type {
  Block,
  CallOptions,
  EnvironmentSession,
  Message,
  MessageBlock,
  OpenOptions,
  TaskChoice,
  ToolCallOptions,
  ToolCallOutcome,
  ToolList,
} from "./types.ts";
import type { EnvironmentWire, WireRequest } from "./wire.ts";

/** Applies to opening a session, and again to its setup. */
const OPEN_LIMIT_MS = 30 * 60_000;

/** Created once, because an error with a stack per session would cost as much as a request. */
const CLOSED = new AppError(
  "environment-session-lost",
  "The session was closed. Repeat the rollout.",
);

interface SessionOptions extends OpenOptions {
  readonly onUnknownBlock: UnknownBlockListener;
}

/** Reserves an id, then starts the episode and its pings; leaves nothing open when it throws. */
export async function openSession(
  wire: EnvironmentWire,
  task: TaskChoice,
  { onUnknownBlock, signal, answerLimitMs }: SessionOptions,
): Promise<EnvironmentSession> {
  const step = "Check the environment's logs, or raise session_timeout.";
  const sid = await whileOpening(wire, { signal, answerLimitMs, step }, (waits) =>
    makeSession(wire, task, waits),
  );
  return new OpenSession({ wire, sid, onUnknownBlock });
}

/**
 * Runs `open` within 30 minutes overall, and within `answerLimitMs` not counting the environment's startup; `step` says what to do on
 * timeout.
 */
export async function whileOpening<T>(
  wire: EnvironmentWire,
  limits: Pick<OpenOptions, "answerLimitMs"> &
    Pick<StepWaits, "signal"> & { readonly step: string },
  open: (waits: StepWaits) => Promise<T>,
): Promise<T> {
  const { clock } = wire.dependencies;
  const { signal, answerLimitMs, step } = limits;
  const request: WireRequest = {
    method: "POST",
    path: "/create_session",
    sid: null,
    isInSession: false,
  };
  const onLimit = (): Error => notReady(wire, request);
  const noAnswer = (): Error => {
    const what = `no session within ${(answerLimitMs ?? 0) / 1000} s. ${step}`;
    return environmentFault("environment-unavailable", wire.locationOf(request), what);
  };
  const answering = { limitMs: answerLimitMs ?? null, onLimit: noAnswer };
  const limit = { clock, limitMs: OPEN_LIMIT_MS, parents: [signal], onLimit };
  return await withLimit(limit, (opening) =>
    opening.runPart(answering, (withTimerPaused) =>
      open({ signal: opening.signal, withTimerPaused }),
    ),
  );
}

async function makeSession(
  wire: EnvironmentWire,
  task: TaskChoice,
  waits: StepWaits,
): Promise<string> {
  const secrets = secretsHeader(wire, task.secrets ?? {});
  const needsDialect = secrets !== null && !wire.target.isOpenReward;
  const sendsSecretsInBody = needsDialect && (await lacksVersion(wire, waits));
  const sid = await reserveSession(wire, task.secrets ?? {}, waits);
  try {
    await createEpisode(wire, { sid, task, secrets, sendsSecretsInBody, waits });
    return sid;
  } catch (error) {
    await releaseSession(wire, sid, { isCreated: true });
    throw error;
  }
}

function notReady(wire: EnvironmentWire, request: WireRequest): Error {
  return environmentFault(
    "environment-unavailable",
    wire.locationOf(request),
    "not ready after 30 minutes. Check the environment's logs, then try again.",
  );
}

class OpenSession implements EnvironmentSession {
  readonly id: string;
  readonly ended: AbortSignal;
  readonly #wire: EnvironmentWire;
  readonly #onUnknownBlock: UnknownBlockListener;
  readonly #ending = new AbortController();
  readonly #pings: Promise<void>;
  #prompt: Promise<readonly Message[]> | null = null;
  #closing: Promise<void> | null = null;

  constructor(dependencies: {
    readonly wire: EnvironmentWire;
    readonly sid: string;
    readonly onUnknownBlock: UnknownBlockListener;
  }) {
    this.id = dependencies.sid;
    this.ended = this.#ending.signal;
    this.#wire = dependencies.wire;
    this.#onUnknownBlock = dependencies.onUnknownBlock;
    this.#pings = this.#keepAlive();
  }

  prompt(options: CallOptions = {}): Promise<readonly Message[]> {
    const request = this.#request("GET", this.#wire.path("messages"));
    this.#prompt ??= this.#whileSettingUp(request, options, (signal) =>
      this.#fetchPrompt(request, signal),
    );
    return this.#prompt;
  }

  tools(options: CallOptions = {}): Promise<ToolList> {
    const request = this.#request("GET", this.#wire.path("task_tools"));
    return this.#whileSettingUp(request, options, async (signal) => {
      const rule = { repeat: "always", signal } as const;
      const reply = await this.#wire.sendWithRetries(request, rule);
      if (reply.status === 200) {
        return this.#wire.parse(request, reply.text, toolsReply, parseExactJson);
      }
      if (reply.status !== 404) throw this.#wire.fault(request, reply, reply.text);
      // Either the server is older than `/task_tools` or the session is dead; the second request shows which.
      const older = this.#request("GET", this.#wire.path("tools"));
      const exactly = { schema: toolsReply, parseJson: parseExactJson };
      return this.#wire.fetchJson(older, { ...rule, ...exactly });
    });
  }

  async callTool(
    name: string,
    input: ExactJsonObject,
    options: ToolCallOptions = {},
  ): Promise<ToolCallOutcome> {
    const request = {
      ...this.#request("POST", this.#wire.path("call")),
      body: { name, input },
    };
    const text = await this.#run(request, { ...options, isRepeatable: false });
    const reply = this.#wire.parse(request, text, callReply);
    return this.#translate(request, () => readOutcome(reply, this.#onUnknownBlock));
  }

  async scoreGroup(
    candidates: readonly (readonly Message[])[],
    options: ToolCallOptions = {},
  ): Promise<readonly number[]> {
    const request = {
      ...this.#request("POST", this.#wire.path("score_group")),
      body: candidatesBody(candidates),
    };
    // Scoring only reads the candidates, so it is safe to repeat.
    const text = await this.#run(request, { ...options, isRepeatable: true });
    const { scores } = this.#wire.parse(request, text, scoresReply);
    if (scores.length === candidates.length) return scores.map(({ reward }) => reward);
    const count = `${scores.length} scores for ${candidates.length} rollouts`;
    throw protocolFault(this.#wire.locationOf(request), `the reply holds ${count}`);
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  /** Like the official client: fetches the conversation, or from an older server the prompt as a user message. */
  async #fetchPrompt(request: WireRequest, signal: AbortSignal): Promise<readonly Message[]> {
    const wire = this.#wire;
    // Reading either may reset the episode, so a request that may have arrived is not repeated.
    const rule = { repeat: "if-unsent", signal } as const;
    const reply = await wire.sendWithRetries(request, rule);
    if (reply.status === 200) {
      const messages = wire.parse(request, reply.text, messagesReply, parseExactJson);
      return this.#translate(request, () => readMessages(messages, this.#onUnknownBlock));
    }
    // Either the server is older than `/messages` or the session is dead; the second request shows which.
    if (reply.status !== 404) throw wire.fault(request, reply, reply.text);
    const older = this.#request("GET", wire.path("prompt"));
    const blocks = await wire.fetchJson(older, { ...rule, schema: promptReply });
    const read = this.#translate(older, () => readBlocks(blocks, this.#onUnknownBlock));
    return [{ role: "user", blocks: read }];
  }

  #request(method: "GET" | "POST", path: string): WireRequest {
    return { method, path, sid: this.id, isInSession: true };
  }

  /** Runs a streamed request and returns its result. */
  async #run(
    request: StreamedJob["request"],
    {
      signal = this.ended,
      withTimerPaused,
      isRepeatable,
    }: ToolCallOptions & Pick<StreamedJob, "isRepeatable">,
  ): Promise<string> {
    this.#requireOpen();
    const job = { request, isRepeatable, signal, withTimerPaused };
    const { text } = await runStreamedJob(this.#wire, job);
    return text;
  }

  /** For requests that wait for the environment's setup: the server replies "starting" or takes long to reply. */
  async #whileSettingUp<T>(
    request: WireRequest,
    { signal: parent = this.ended }: CallOptions,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    this.#requireOpen();
    const { clock } = this.#wire.dependencies;
    const onLimit = (): Error => notReady(this.#wire, request);
    const limit = { clock, limitMs: OPEN_LIMIT_MS, onLimit, parents: [parent] };
    return await withLimit(limit, ({ signal }) => work(signal));
  }

  #requireOpen(): void {
    if (this.ended.reason === CLOSED) throw this.#lostError("the session was closed");
    this.ended.throwIfAborted();
  }

  #translate<T>(request: WireRequest, read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof z.ZodError)) throw error;
      throw protocolFault(
        this.#wire.locationOf(request),
        "a block of the reply is malformed",
        error,
      );
    }
  }

  async #keepAlive(): Promise<void> {
    const reason = await keepAlive(this.#wire, this.id, this.ended);
    if (reason !== null) this.#ending.abort(this.#lostError(`the session is lost: ${reason}`));
  }

  async #end(): Promise<void> {
    this.#ending.abort(CLOSED);
    await this.#pings;
    await releaseSession(this.#wire, this.id, { isCreated: true });
  }

  #lostError(what: string): AppError {
    const location = this.#wire.locationOf(this.#request("POST", "/ping"));
    return environmentFault("environment-session-lost", location, `${what}. Repeat the rollout.`);
  }
}

/** Same order as the candidates. */
const scoresReply = z.object({ scores: z.array(z.object({ reward: z.number() })) });

/** The form in which the official client sends conversations without metadata. */
function candidatesBody(candidates: readonly (readonly Message[])[]): ExactJsonObject {
  return {
    candidates: candidates.map((messages) => ({
      messages: messages.map(({ role, blocks }) => ({
        role,
        blocks: blocks.map(messageBlock),
        detail: null,
      })),
      metadata: null,
    })),
  };
}

function messageBlock(block: MessageBlock): ExactJsonObject {
  switch (block.type) {
    case "reasoning":
      return { ...block, signature: null, detail: null };
    case "tool_call":
      return { ...block, detail: null };
    case "tool_result":
      return {
        type: block.type,
        tool_call_id: block.callId,
        blocks: block.blocks.map(plainBlock),
        is_error: block.isError,
        detail: null,
      };
    default:
      return plainBlock(block);
  }
}

function plainBlock(block: Block): ExactJsonObject {
  return { ...block, detail: null };
}
