/** The command `env play`: plays tasks line by line, with a person, a script of calls on standard input, or another player. */

import { resolve } from "node:path";
import { createInterface } from "node:readline";
import * as l10n from "@vscode/l10n";
import { AppError, isAppError } from "../../core/errors.ts";
import type { ToolList, ToolSpec } from "../../core/openreward/types.ts";
import type { Player, PlayerMove, PlayerView } from "../../core/play/player.ts";
import { raceAbort } from "../../core/util/abort.ts";
import {
  type ExactJson,
  type ExactJsonObject,
  isExactObject,
  parseExactJson,
} from "../../core/util/exactJson.ts";
import { mean } from "../../core/util/stats.ts";
import { DEFAULT_CONFIG } from "../../shared/configNames.ts";
import { difficultyText } from "../../shared/difficultyText.ts";
import { nearestWord } from "../../shared/editDistance.ts";
import { EXIT } from "../../shared/exitCodes.ts";
import { formatReward, plural } from "../../shared/format.ts";
import type { EndedPlay, PlayRequest } from "../../trainer/play/playTask.ts";
import type { EnvPlayCommand } from "../arguments/envArguments.ts";
import type { ProgramOptions, TrainerProgram } from "../arguments/programOptions.ts";
import { untilInterrupt } from "../terminal/interrupts.ts";
import { commandLine, type Invocation, shortPath } from "../terminal/invocation.ts";
import { clipText, type Line, quietLine, styled } from "../terminal/line.ts";
import { isPerson } from "../terminal/question.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** @throws AppError like {@link TrainerApi.playTask}, `bad-arguments`, `interrupted` on Ctrl+C */
export async function playInTerminal(
  options: TrainerProgram,
  { kind: _, player, ...wanted }: EnvPlayCommand,
): Promise<number> {
  const { fileSystem, trainer, out, err, invocation } = options;
  if (wanted.configPath === DEFAULT_CONFIG) await requireDefaultConfig(options, "env play");
  const isOne = wanted.tasks === 1;
  const all: EndedPlay[] = [];
  const request: Omit<PlayRequest, "signal"> = {
    ...wanted,
    player: player ?? moves(options),
    rollouts: 1,
    atOnce: 1,
    onTask: ({ environment, split, index }) => {
      err.showLive(null);
      if (!isOne) out.print([[styled("strong", `${environment} ${split} ${index}`)]]);
    },
    onRead: (text) => {
      err.showLive(null);
      out.print([quietLine(l10n.t("the model reads:")), ...linesOf(text), []]);
    },
    onWritten: (text) => {
      err.showLive(null);
      out.print([[styled("accent", l10n.t("the model writes:"))], ...linesOf(text), []]);
    },
    onResult: ({ reward }) => {
      if (reward !== null)
        out.print([[styled("strong", l10n.t("reward {0}", formatReward(reward)))]]);
    },
    onDifficulty: (known) => out.print([quietLine(difficultyText(known))]),
    onPart: (what) => err.showLive(quietLine(what)),
    onPlayed: (played) => {
      all.push(played);
      out.print(endLines(played));
    },
  };
  const play = (signal: AbortSignal) => trainer.playTask(fileSystem, { ...request, signal });
  const stopped = new AppError("interrupted", "The play was stopped.");
  const playing = untilInterrupt(options, play, stopped);
  const { folder } = await playing.finally(() => {
    if (!isOne && all.length > 0) out.print(meanLines(all));
  });
  if (folder !== null) out.print(storedLines(folder, invocation));
  return all.some(({ error }) => error !== null) ? EXIT.service : EXIT.done;
}

/** For a command without --config_path. @throws AppError `bad-arguments` */
export async function requireDefaultConfig(
  { fileSystem, invocation }: Pick<ProgramOptions, "fileSystem" | "invocation">,
  command: string,
): Promise<void> {
  if ((await fileSystem.size(resolve(invocation.cwd, DEFAULT_CONFIG))) !== null) return;
  const message = `${command} needs --config_path: there is no ${DEFAULT_CONFIG} here.`;
  throw new AppError("bad-arguments", message);
}

/** Moves from a person, or from a script on standard input. */
function moves(options: ProgramOptions): PlayRequest["player"] {
  const { input } = options;
  const lines = createInterface({ input })[Symbol.asyncIterator]();
  const player: Player = { move: (view, signal) => nextMove(options, lines, view, signal) };
  return { kind: "moves", name: isPerson(input) ? "person" : "script", player };
}

function meanLines(played: readonly EndedPlay[]): readonly Line[] {
  const rewards = played.flatMap(({ reward }) => reward ?? []);
  const average = mean(rewards);
  const without = played.length - rewards.length;
  const score =
    average === null ? l10n.t("no reward") : l10n.t("mean reward {0}", formatReward(average));
  const shown =
    average === null || without === 0 ? score : l10n.t("{0}, {1} without a reward", score, without);
  return [[], [styled("strong", shown), ` · ${plural(played.length, "{0} task", "{0} tasks")}`]];
}

function storedLines(folder: string, invocation: Invocation): readonly Line[] {
  const path = shortPath(folder, invocation.cwd);
  const show = commandLine(invocation, "show", path, "--eval", "--step", "0");
  return [quietLine(l10n.t("stored in {0}", path)), quietLine(l10n.t("show it with {0}", show))];
}

/** Shows what the model would read, and asks until a line is a valid move. */
async function nextMove(
  { input, out, err }: ProgramOptions,
  lines: AsyncIterator<string>,
  view: PlayerView,
  signal = new AbortController().signal,
): Promise<PlayerMove> {
  err.showLive(null);
  if (view.problem !== null) err.print([[styled("warning", view.problem)]]);
  else {
    if (view.turn === 0) out.print(toolLines(view.tools));
    out.print([quietLine(l10n.t("the model reads:")), ...linesOf(view.text), []]);
  }
  const prompt = styled("accent", `${view.turn + 1}> `);
  for (;;) {
    err.showLive([prompt]);
    const { value, done } = await raceAbort(lines.next(), signal);
    err.showLive(null);
    const line = done === true ? "/quit" : value.trim();
    if (!isPerson(input) && line !== "") out.print([[prompt, line]]);
    const move = moveOf(line, view, out, err);
    if (move !== null) return move;
  }
}

/** Null if the line is not a move. */
function moveOf(
  line: string,
  { tools }: PlayerView,
  out: Terminal,
  err: Terminal,
): PlayerMove | null {
  if (line === "/quit") return { kind: "leave" };
  if (line === "") return null;
  if (line === "/tools" || line === "/help") {
    out.print(toolLines(tools));
    return null;
  }
  if (/^\/[a-z]+$/.test(line)) {
    const text = l10n.t("There is no command {0}. Use /help, /tools or /quit.", line);
    err.print([[styled("warning", text)]]);
    return null;
  }
  try {
    return readMove(line, tools.tools);
  } catch (error) {
    if (!isAppError(error, "bad-arguments")) throw error;
    err.print([[styled("warning", error.message)]]);
    return null;
  }
}

const MAX_LAST_CHARS = 2_000;

/** Includes the last results, which no later move would show. */
function endLines({ turns, reward, stop, error, last, agent }: EndedPlay): readonly Line[] {
  const score =
    reward === null ? l10n.t("no reward") : l10n.t("reward {0} in all", formatReward(reward));
  return [
    ...last.flatMap((text) => linesOf(clipText(text, MAX_LAST_CHARS))),
    [],
    [styled("strong", score), ` · ${plural(turns, "{0} turn", "{0} turns")} · ${stop}`],
    ...(stop === "max_tokens"
      ? [
          quietLine(
            l10n.t(
              "No room for another turn: max_total_tokens or the context of the model is reached.",
            ),
          ),
        ]
      : []),
    ...(error === null ? [] : [[styled("warning", error)]]),
    ...(agent === undefined ? [] : agentLines(agent)),
  ];
}

function agentLines({ exit, output, refusals }: NonNullable<EndedPlay["agent"]>): readonly Line[] {
  const ending =
    exit === null
      ? l10n.t("The rollout ended the agent.")
      : l10n.t("The agent ended with {0}.", exit);
  const refused = refusals.map(({ message, count }) => l10n.t("Refused {0}×: {1}", count, message));
  const printed = output.trim() === "" ? [] : [l10n.t("It printed:"), ...output.trim().split("\n")];
  return [ending, ...refused, ...printed].map((line) => quietLine(line));
}

/**
 * Parses `tool {"key": "value"}`, `tool` without arguments, or `tool value` for a single argument; anything else is text.
 * @throws AppError `bad-arguments` for an invalid call
 */
export function readMove(line: string, tools: readonly ToolSpec[]): PlayerMove {
  const [, name = "", rest = ""] = /^(\S+)\s*(.*)$/s.exec(line) ?? [];
  const tool = tools.find((each) => each.name === name);
  if (tool !== undefined) return { kind: "call", name, args: argumentsOf(tool, rest.trim()) };
  const near = rest.startsWith("{")
    ? nearestWord(
        name,
        tools.map((each) => each.name),
      )
    : null;
  if (near !== null)
    throw new AppError("bad-arguments", `There is no tool ${name}. Did you mean ${near}?`);
  // Models invent tool names, too.
  const made = /^[\w-]+$/.test(name) && rest.startsWith("{") ? jsonOf(rest) : undefined;
  if (isExactObject(made)) return { kind: "call", name, args: made };
  return { kind: "text", text: line };
}

function argumentsOf(tool: ToolSpec, text: string): ExactJsonObject {
  if (text === "") return {};
  const single = singleArgument(tool);
  if (text.startsWith("{") || single === null) {
    const value = jsonOf(text);
    if (isExactObject(value)) return value;
    const example = single === null ? "{…}" : `{${JSON.stringify(single.name)}: …}`;
    throw new AppError(
      "bad-arguments",
      `The arguments are not a JSON object. Write ${tool.name} ${example}`,
    );
  }
  const isText = single.type === "string";
  const value = isText ? text : jsonOf(text);
  if (value === undefined) {
    throw new AppError("bad-arguments", `${single.name} is not of type ${single.type}: ${text}`);
  }
  return { [single.name]: value };
}

/** Undefined if the text is not JSON. */
function jsonOf(text: string): ExactJson | undefined {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

/** The only property of a tool's schema, with its type; null if there are several. */
function singleArgument({ inputSchema }: ToolSpec): { name: string; type: string } | null {
  const properties = inputSchema?.["properties"];
  if (!isExactObject(properties)) return null;
  const [one, ...others] = Object.entries(properties);
  if (one === undefined || others.length > 0) return null;
  const [name, schema] = one;
  const type = isExactObject(schema) ? schema["type"] : undefined;
  return { name, type: typeof type === "string" ? type : "value" };
}

function toolLines({ tools }: ToolList): readonly Line[] {
  return [
    quietLine(l10n.t("Be the model: write a call as TOOL {JSON}, or text. /tools, /help, /quit.")),
    ...tools.map(
      (tool): Line => [
        styled("strong", tool.name),
        ` ${signature(tool.inputSchema)}  `,
        styled("quiet", tool.description.split("\n")[0] ?? ""),
      ],
    ),
    [],
  ];
}

function signature(schema: ExactJsonObject | null): string {
  const properties = schema?.["properties"];
  if (!isExactObject(properties)) return "{}";
  const names = Object.entries(properties).map(([name, each]) => {
    const type = isExactObject(each) && typeof each["type"] === "string" ? each["type"] : "any";
    return `${JSON.stringify(name)}: ${type}`;
  });
  return `{${names.join(", ")}}`;
}

function linesOf(text: string): readonly Line[] {
  return text.split("\n").map((line): Line => [line]);
}
