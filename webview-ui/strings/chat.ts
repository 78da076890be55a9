/** A conversation with models. */

import * as l10n from "@vscode/l10n";
import { formatCount, plural } from "../../src/shared/format.ts";

export const chatStrings = {
  title: l10n.t("Conversation"),
  opening: (what: string) => l10n.t("Opening: {0}…", what),
  context: (tokens: number) => plural(tokens, "{0} token of context", "{0} tokens of context"),
  used: (tokens: number) => plural(tokens, "{0} token used", "{0} tokens used"),
  cost: (cost: string, tokens: number) =>
    plural(tokens, "{1} for {0} token", "{1} for {0} tokens", cost),
  task: (task: string) => l10n.t("task: {0}", task),
  notes: (count: number) => plural(count, "{0} note", "{0} notes"),

  bar: l10n.t("Conversation"),
  beside: l10n.t("Beside…"),
  besideWhat: l10n.t("Starts over with other models beside this one"),
  other: l10n.t("New…"),
  otherWhat: l10n.t("Starts over, freely or with a task"),
  raw: l10n.t("As Written"),
  rawWhat: l10n.t("Shows each turn with its control tokens"),
  thinking: l10n.t("Thinking"),
  thinkingWhat: l10n.t("Opens what the models think"),

  read: l10n.t("Read before the conversation"),
  you: l10n.t("You"),
  yourAnswer: (tool: string) => l10n.t("Your answer in place of {0}", tool),
  turn: (turn: number) => l10n.t("Turn {0}", turn),
  turnTokens: (tokens: number) => plural(tokens, "{0} token", "{0} tokens"),
  cut: l10n.t("cut at the limit of tokens"),
  sample: (sample: number) => l10n.t("Sample {0}", sample),
  choose: (sample: number) => l10n.t("Continue with Sample {0}", sample),
  chooseOfEach: (sample: number) => l10n.t("Continue with Sample {0} of Each", sample),
  reward: (reward: string) => l10n.t("reward of the episode: {0}", reward),

  message: l10n.t("Message"),
  answer: (tool: string) => l10n.t("Answer in place of the tool {0}", tool),
  send: l10n.t("Send"),
  sendAnswer: l10n.t("Answer"),
  stop: l10n.t("Stop"),
  goOn: l10n.t("Continue"),
  again: l10n.t("Try Again"),
  againWhat: l10n.t("Samples the last turn again, with another seed"),
  undo: l10n.t("Undo"),
  undoWhat: l10n.t("Takes back the last turn, and what you said before it"),
  beginAgain: l10n.t("Begin Again"),
  keys: l10n.t("Enter sends, Shift+Enter begins a line, Escape stops."),

  states: {
    sampling: (done: number, total: number) =>
      l10n.t("Sampling: {0} of {1} done", formatCount(done), formatCount(total)),
    calling: (tool: string) => l10n.t("The environment runs the tool {0}…", tool),
    asked: (model: string, tool: string) =>
      l10n.t("{0} calls the tool {1}. Write what the tool answers.", model, tool),
    choice: l10n.t("Choose a sample, or write a message to continue with the first."),
    stopped: l10n.t("Stopped before the model's turn."),
    message: l10n.t("Write a message."),
    over: l10n.t("The episode is over. Undo or try again to go another way."),
    ended: l10n.t("The conversation has ended."),
  },

  settings: l10n.t("Sampling"),
  temperature: l10n.t("Temperature"),
  maxTokens: l10n.t("Most tokens a turn"),
  seed: l10n.t("Seed"),
  samples: l10n.t("Samples"),
  answersBy: l10n.t("Calls answered by"),
  environment: l10n.t("the environment"),
  person: l10n.t("me"),
} as const;
