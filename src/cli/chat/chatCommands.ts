/** User input in a conversation: a message or a slash command. */

import * as l10n from "@vscode/l10n";
import { AppError } from "../../core/errors.ts";
import { nearestWord } from "../../shared/editDistance.ts";
import { MAX_SAMPLES, readTemperature } from "../arguments/chatArguments.ts";
import { type Line, styled } from "../terminal/line.ts";

export type ChatInput =
  /** A message, or the result of a call that is being asked for; empty = continue. */
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "help" | "undo" | "again" | "tokens" | "quit" }
  | { readonly kind: "answer"; readonly text: string }
  | { readonly kind: "save"; readonly path: string }
  /** From 1. */
  | { readonly kind: "pick"; readonly number: number }
  | { readonly kind: "seed" | "temperature" | "samples"; readonly value: number }
  | { readonly kind: "tools"; readonly by: "environment" | "person" };

const WORDS = [
  "help",
  "undo",
  "again",
  "pick",
  "seed",
  "temperature",
  "samples",
  "tools",
  "answer",
  "tokens",
  "save",
  "quit",
] as const;
type Word = (typeof WORDS)[number];

/** A message that starts with a slash needs two. @throws AppError `bad-arguments` */
export function readInput(line: string): ChatInput {
  if (!line.startsWith("/")) return { kind: "text", text: line };
  if (line.startsWith("//")) return { kind: "text", text: line.slice(1) };
  const [, name = "", rest = ""] = /^\/(\S*)\s*(.*)$/s.exec(line) ?? [];
  const word = WORDS.find((known) => known === name);
  if (word === undefined) throw unknownWord(name);
  return readWord(word, rest.trimEnd());
}

function readWord(word: Word, rest: string): ChatInput {
  switch (word) {
    case "help":
    case "undo":
    case "again":
    case "tokens":
    case "quit":
      return { kind: word };
    case "answer":
      return { kind: word, text: rest };
    case "save":
      if (rest === "") throw refused(l10n.t("/save needs a file name."));
      return { kind: word, path: rest };
    case "pick":
      return { kind: word, number: numberOf(word, rest, MAX_SAMPLES) };
    case "samples":
      return { kind: word, value: numberOf(word, rest, MAX_SAMPLES) };
    case "seed":
      return {
        kind: word,
        value: rest === "0" ? 0 : numberOf(word, rest, Number.MAX_SAFE_INTEGER),
      };
    case "temperature": {
      const value = readTemperature(rest);
      if (value === null) throw refused(l10n.t("/temperature needs a number from 0 to 2."));
      return { kind: word, value };
    }
    case "tools":
      if (rest === "environment" || rest === "person") return { kind: word, by: rest };
      throw refused(l10n.t("/tools needs environment or person."));
  }
}

function numberOf(word: Word, text: string, most: number): number {
  const number = /^\d+$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= most) return number;
  throw refused(l10n.t("/{0} needs a whole number of at least 1.", word));
}

function unknownWord(name: string): AppError {
  const near = nearestWord(name, WORDS);
  return refused(
    near === null
      ? l10n.t(
          "Unknown command /{0}. /help lists all commands; // begins a message with a slash.",
          name,
        )
      : l10n.t("Unknown command /{0}. Did you mean /{1}?", name, near),
  );
}

function refused(message: string): AppError {
  return new AppError("bad-arguments", message);
}

export function chatHelp(): readonly Line[] {
  const rows: readonly (readonly [word: string, operand: string, text: string])[] = [
    [l10n.t("Enter"), "", l10n.t("lets the model continue; uses the first of several samples")],
    ["/again", "", l10n.t("undoes the last turn and samples it with another seed")],
    ["/undo", "", l10n.t("undoes the last turn and your message before it")],
    ["/pick", "N", l10n.t("continues with one of several samples")],
    ["/samples", "N", l10n.t("number of alternative turns to sample")],
    ["/temperature", "X", l10n.t("for the next turns")],
    ["/seed", "N", l10n.t("for the next turns")],
    ["/tools", "WHO", l10n.t("who answers calls: environment or person")],
    ["/answer", "TEXT", l10n.t("answers the first open call instead of the tool")],
    ["/tokens", "", l10n.t("shows the tokens of the last turn with their log-probabilities")],
    ["/save", "FILE", l10n.t("writes the conversation as JSON, with all tokens")],
    ["/quit", "", l10n.t("leaves")],
  ];
  return [
    ...rows.map(([word, operand, text]): Line => {
      return ["  ", styled("accent", `${word} ${operand}`.padEnd(16)), text];
    }),
    [
      "  ",
      l10n.t(
        "A line that ends with \\ continues in the next one. // begins a message with a slash.",
      ),
    ],
  ];
}
