/** Runs an agent program for one rollout, in a folder of its own. */

import { once } from "node:events";
import { statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import type { AgentConfig, AgentEnd } from "../../core/agents/agent.ts";
import { AppError } from "../../core/errors.ts";
import { printedText } from "../../core/rollout/agentFailure.ts";
import { NOT_STARTED, scriptHint } from "../../node/notStarted.ts";
import { OutputTail, startKeptCommand } from "../services/keptCommand.ts";

export interface AgentProgram {
  readonly command: readonly string[];
  /** Working directory; also removed if the trainer is killed. */
  readonly cwd: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Folder of Tinker RL's own program files. */
  readonly programFolder: string;
  /** Configuration key of the command, for messages. */
  readonly configPath: string;
  /** Ends the program and its children. */
  readonly signal: AbortSignal;
  /** Redacts secrets from its output. */
  readonly clean: (text: string) => string;
  /** True if a reward command reads its folder and output afterwards. */
  readonly isGraded?: boolean;
}

/** `code` is null if {@link AgentProgram.signal} ended it; `rewardLine` is the last non-empty line of standard output. */
export interface EndedProgram extends AgentEnd {
  /** The end of its standard output. */
  readonly printed: string;
}

const KEPT_OUTPUT = 16_000;
/** Characters of standard output passed to its `reward_command`. */
const GRADED_OUTPUT = 4_000_000;
/** Time between the request to exit and SIGKILL; {@link ../../node/keepCommand.ts} ends the kept children sooner. */
const END_LIMIT_MS = 7_000;
/** How long to read on after the program has exited: a process in another group may hold the streams open forever. */
const OUTPUT_LIMIT_MS = 1_000;

/** @throws AppError `agent-not-started`; the signal's reason if it was aborted before the start */
export async function runAgentProgram(options: AgentProgram): Promise<EndedProgram> {
  const { command, cwd, programFolder, configPath, signal, isGraded = false } = options;
  const variables = { ...options.variables, TINKER_RL_REMOVED: cwd };
  const clean = ({ whole }: OutputTail): string => options.clean(whole);
  signal.throwIfAborted();
  const output = new OutputTail(KEPT_OUTPUT);
  const stdout = new OutputTail(isGraded ? GRADED_OUTPUT : KEPT_OUTPUT);
  const onOutput = (text: string, stream: "stdout" | "stderr"): void => {
    output.add(text);
    if (stream === "stdout") stdout.add(text);
  };
  const child = startKeptCommand({ command, cwd, programFolder, variables, onOutput });
  const timers: NodeJS.Timeout[] = [];
  const end = (): void => {
    child.stdin?.end(isGraded ? "keep" : undefined);
    timers.push(setTimeout(() => child.kill("SIGKILL"), END_LIMIT_MS));
  };
  const stopReading = (): void => {
    child.stdout?.destroy();
    child.stderr?.destroy();
  };
  child.once("exit", () => timers.push(setTimeout(stopReading, OUTPUT_LIMIT_MS)));
  signal.addEventListener("abort", end, { once: true });
  try {
    // `exit` may fire before the last output has been read.
    const [code, killedBy] = await once(child, "close");
    const printed = clean(stdout);
    const ended = { output: clean(output), printed };
    if (signal.aborted) return { ...ended, code: null, rewardLine: null };
    if (code === NOT_STARTED) throw notStarted(options, ended.output);
    const lastLine = printed.trimEnd().split("\n").at(-1)?.trim() ?? "";
    return { ...ended, code: killedBy ?? code, rewardLine: lastLine === "" ? null : lastLine };
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("agent-not-started", `${configPath}: ${String(error)}`, { configPath });
  } finally {
    for (const timer of timers) clearTimeout(timer);
    signal.removeEventListener("abort", end);
  }
}

function notStarted({ command, configPath }: AgentProgram, output: string): AppError {
  const [program = ""] = command;
  return new AppError(
    "agent-not-started",
    `${configPath}: ${program} ${whyNotStarted(program, output)}${printedText(output)}`,
    { configPath },
  );
}

function whyNotStarted(program: string, output: string): string {
  if (!isAbsolute(program) || !isFile(program)) {
    return `is not on the path, or cannot be started${scriptHint()}.`;
  }
  if (process.platform === "win32") return `cannot be started${scriptHint()}.`;
  if (output.includes("EACCES")) {
    return "is not executable. Run `chmod +x` on it, or name its interpreter, as in `[bash, agent.sh]`.";
  }
  if (!output.includes("ENOENT")) return "cannot be started.";
  return "cannot be started. Look at its first line: the interpreter must exist, and the line end must not be that of Windows.";
}

/** Arguments that look like scripts; not flags, addresses, other placeholders, or text with spaces. */
const SCRIPT = /^(?:\{folder\})?[^-\s={}:][^\s={}:]*\.(?:[cm]?js|py|sh|ts)$/;

/** Arguments that look like scripts but do not exist in `folder`. Absolute paths are skipped, since they may belong to another computer. */
export function missingScripts(command: readonly string[], folder: string): readonly string[] {
  const [, ...args] = command;
  return args.filter(
    (part) =>
      SCRIPT.test(part) && !isAbsolute(part) && !isFile(resolve(folder, withFolder(part, folder))),
  );
}

/**
 * The command with `{folder}` replaced, and with arguments that name files in `folder` as full paths. Names of folders are left
 * alone, because they are often plain words such as `.`.
 */
export function withFullPaths(command: readonly string[], folder: string): readonly string[] {
  return command.map((part) => {
    const text = withFolder(part, folder);
    const path = resolve(folder, text);
    return isFile(path) ? path : text;
  });
}

/** The variables with `{folder}` replaced; null values are looked up later. */
export function withFolders(env: AgentConfig["env"], folder: string): AgentConfig["env"] {
  const entries = Object.entries(env ?? {}).map(
    ([name, text]) => [name, text === null ? null : withFolder(text, folder)] as const,
  );
  return Object.fromEntries(entries);
}

function withFolder(text: string, folder: string): string {
  return text.replaceAll("{folder}", () => folder);
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    // Also for arguments that cannot be paths, such as multi-line scripts.
    return false;
  }
}

/** The command with each `{name}` replaced by its value. */
export function withValues(
  command: readonly string[],
  values: Readonly<Record<string, string>>,
): readonly string[] {
  // In a single pass, so that braces within values are not replaced again.
  return command.map((part) =>
    part.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
      Object.hasOwn(values, name) ? (values[name] ?? whole) : whole,
    ),
  );
}
