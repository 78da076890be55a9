/** Parses the command line into a command with its values, or a one-line error. */

import type { AppError } from "../../core/errors.ts";
import { nearestWord } from "../../shared/editDistance.ts";
import { chatCommand } from "./chatArguments.ts";
import { checkpointsCommand } from "./checkpointArguments.ts";
import { envCommand } from "./envArguments.ts";
import {
  argumentError,
  CONFIG_FILE,
  type CommandName,
  didYouMean,
  FLAGS,
  type HelpCall,
  NO_COMMAND_FLAGS,
  type ParsedFlags,
  readFlags,
} from "./flags.ts";
import { GivenArguments } from "./givenArguments.ts";
import {
  estimateCommand,
  mcpCommand,
  modelsCommand,
  serveCommand,
  serveModelCommand,
  showPromptCommand,
  validateCommand,
} from "./planningArguments.ts";
import {
  collectCommand,
  exportCommand,
  reportCommand,
  runsCommand,
  searchCommand,
  showCommand,
  viewCommand,
} from "./resultsArguments.ts";
import {
  controlCommand,
  evaluateCommand,
  resumeCommand,
  sweepCommand,
  trainCommand,
} from "./trainingArguments.ts";

const READERS = {
  train: trainCommand,
  resume: resumeCommand,
  evaluate: evaluateCommand,
  sweep: sweepCommand,
  control: controlCommand,
  validate: validateCommand,
  estimate: estimateCommand,
  "show-prompt": showPromptCommand,
  runs: runsCommand,
  show: showCommand,
  search: searchCommand,
  report: reportCommand,
  export: exportCommand,
  collect: collectCommand,
  models: modelsCommand,
  chat: chatCommand,
  checkpoints: checkpointsCommand,
  env: envCommand,
  serve: serveCommand,
  "serve-model": serveModelCommand,
  view: viewCommand,
  mcp: mcpCommand,
  lsp: (given) => {
    given.refuseFurther();
    return { kind: "lsp" as const };
  },
} satisfies Readonly<Record<CommandName, (given: GivenArguments) => { readonly kind: string }>>;

export type Command =
  | ReturnType<(typeof READERS)[CommandName]>
  | { readonly kind: "help"; readonly topic: CommandName | null }
  | { readonly kind: "version" }
  /** Started by an editor, which sends the request over standard input; `folder` contains the `launch.json` that the editor reads. */
  | { readonly kind: "launch"; readonly folder: string };

const COMMANDS = Object.keys(FLAGS) as readonly CommandName[]; // the keys of a record that is written out

/**
 * `invocation` is how the program was called, for error messages.
 * @throws AppError `bad-arguments` with one line that states the problem and the next step
 */
export function parseArguments(
  args: readonly string[],
  invocation: HelpCall["invocation"] = { program: null },
): Command {
  const [first] = args;
  if (first === undefined) return { kind: "help", topic: null };
  // An editor's command line has no other words, so nothing can be mistaken for a flag.
  if (first === "--launch" && args.length === 2) return { kind: "launch", folder: args[1] ?? "" };
  const name = COMMANDS.find((command) => command === first);
  if (name !== undefined) {
    const call = { command: name, invocation };
    return parseCommand(call, readFlags(args.slice(1), FLAGS[name], call));
  }
  const call = { command: null, invocation };
  if (first === "help") return helpOn(args[1], call);
  if (!first.startsWith("-") && !CONFIG_FILE.test(first)) throw unknownCommand(first, call);
  const given = readFlags(args, NO_COMMAND_FLAGS, call);
  if (given.switches.has("version")) return { kind: "version" };
  if (given.switches.has("help")) return { kind: "help", topic: null };
  return parseCommand({ command: "train", invocation }, given);
}

function parseCommand(
  call: HelpCall & { readonly command: CommandName },
  flags: ParsedFlags,
): Command {
  const { command } = call;
  const given = new GivenArguments(call, flags);
  return given.has("help") ? { kind: "help", topic: command } : READERS[command](given);
}

/** `help COMMAND`, which other programs have, is `COMMAND --help`. */
function helpOn(word: string | undefined, call: HelpCall): Command {
  const topic = COMMANDS.find((command) => command === word) ?? null;
  if (word !== undefined && topic === null) throw unknownCommand(word, call);
  return { kind: "help", topic };
}

function unknownCommand(word: string, call: HelpCall): AppError {
  const nearest = nearestWord(word, COMMANDS);
  const hint = nearest === null ? `The commands are ${COMMANDS.join(", ")}` : didYouMean(nearest);
  return argumentError(`Unknown command ${JSON.stringify(word)}. ${hint}`, call);
}
