/** Environments whose sessions follow a script. */

import type {
  Block,
  CallOptions,
  EnvironmentSession,
  Message,
  RemoteEnvironment,
  TaskChoice,
  TerminalTool,
  ToolCallOutcome,
} from "../../../src/core/openreward/types.ts";
import type { ExactJsonObject } from "../../../src/core/util/exactJson.ts";
import { type WithTimerPaused, withoutTimer } from "../../../src/core/util/withTimerPaused.ts";

export interface ToolRequest {
  readonly name: string;
  readonly args: ExactJsonObject;
  readonly signal: AbortSignal | undefined;
  /** For waiting until an environment has started. */
  readonly withTimerPaused: WithTimerPaused;
}

type Candidates = readonly (readonly Message[])[];

export interface SessionScript {
  readonly prompt?: readonly Block[];
  /** Scores groups; by default the environment does not score any. */
  readonly onScore?: (
    candidates: Candidates,
    signal: AbortSignal | undefined,
  ) => Promise<readonly number[]>;
  readonly blockTypes?: readonly string[];
  /** Replaces the prompt. */
  readonly messages?: readonly Message[];
  readonly terminalTool?: TerminalTool;
  /** By default every call returns `ok` without a reward. */
  readonly onCall?: (request: ToolRequest) => ToolCallOutcome | Promise<ToolCallOutcome>;
}

export interface ScriptedSession extends EnvironmentSession {
  /** Names and arguments of all calls, in order. */
  readonly calls: readonly (readonly [name: string, args: ExactJsonObject])[];
  readonly isClosed: boolean;
  /** Makes the session's pings fail. */
  lose(reason: Error): void;
}

export function text(content: string): Block {
  return { type: "text", text: content };
}

export const IMAGE: Block = { type: "image", data: "aGk=", mimeType: "image/png" };

/** The outcome of a successful tool call. */
export function result(
  content: string,
  scored: { readonly reward?: number | null; readonly finished?: boolean } = {},
): ToolCallOutcome {
  const { reward = null, finished = false } = scored;
  return { kind: "result", blocks: [text(content)], reward, finished, metadata: null };
}

export function blocks(content: readonly Block[], finished = false): ToolCallOutcome {
  return { kind: "result", blocks: content, reward: null, finished, metadata: null };
}

export function rejected(error: string): ToolCallOutcome {
  return { kind: "rejected", reason: "input_validation", error };
}

export function scriptedSession(script: SessionScript = {}): ScriptedSession {
  const calls: (readonly [string, ExactJsonObject])[] = [];
  const lost = new AbortController();
  const { prompt = [text("Add 2 and 3.")], onCall = () => result("ok") } = script;
  let isClosed = false;
  return {
    id: "sid",
    calls,
    get isClosed() {
      return isClosed;
    },
    ended: lost.signal,
    lose: (reason) => lost.abort(reason),
    prompt: async () => script.messages ?? [{ role: "user", blocks: prompt }],
    tools: async () => ({
      tools: [
        { name: "add", description: "Adds.", inputSchema: null },
        { name: "answer", description: "Ends.", inputSchema: null },
      ],
      terminalTool: script.terminalTool ?? null,
      supportsGroupScoring: script.onScore !== undefined,
      messageBlockTypes: script.blockTypes ?? [
        "text",
        "image",
        "reasoning",
        "tool_call",
        "tool_result",
      ],
    }),
    callTool: async (name, args, { signal, withTimerPaused = withoutTimer } = {}) => {
      calls.push([name, args]);
      return await onCall({ name, args, signal, withTimerPaused });
    },
    scoreGroup: async (candidates, { signal } = {}) => {
      if (script.onScore === undefined) throw new Error("this environment scores no groups");
      return await script.onScore(candidates, signal);
    },
    close: async () => {
      isClosed = true;
    },
  };
}

export interface ScriptedEnvironment extends RemoteEnvironment {
  /** All opened sessions, in order. */
  readonly sessions: readonly ScriptedSession[];
  readonly choices: readonly TaskChoice[];
}

/** Opens a session for each script in turn, repeating the last; an Error refuses the session and queries. */
export function scriptedEnvironment(
  scripts: readonly (SessionScript | Error)[] = [{}],
  beforeOpen: (options: CallOptions) => Promise<void> = async () => undefined,
): ScriptedEnvironment {
  const sessions: ScriptedSession[] = [];
  const choices: TaskChoice[] = [];
  const scriptNow = () => scripts[Math.min(choices.length, scripts.length - 1)] ?? {};
  return {
    name: "Owner/Game",
    address: "http://games.test",
    sessions,
    choices,
    splits: async () => {
      const script = scriptNow();
      if (script instanceof Error) throw script;
      return [{ name: "train", type: "train" }];
    },
    numTasks: async () => 8,
    tools: async () => ({
      tools: [],
      terminalTool: null,
      supportsGroupScoring: false,
      messageBlockTypes: [],
    }),
    tasks: async () => null,
    holdsSession: async () => false,
    release: async () => undefined,
    openSession: async (choice, options = {}) => {
      const script = scriptNow();
      choices.push(choice);
      await beforeOpen(options);
      if (script instanceof Error) throw script;
      const session = scriptedSession(script);
      sessions.push(session);
      return session;
    },
  };
}
