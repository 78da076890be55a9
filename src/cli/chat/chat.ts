/** The command `chat`: a line-based conversation with a checkpoint, a run's newest weights or a model. */

import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import * as l10n from "@vscode/l10n";
import { SEEDS } from "../../core/conversation/talk.ts";
import { AppError, isAppError } from "../../core/errors.ts";
import type { UsedTotal } from "../../core/usage/prices.ts";
import { raceAbort } from "../../core/util/abort.ts";
import { systemRandom } from "../../node/random.ts";
import type { ChatSettings } from "../../shared/chat.ts";
import type { ChatPartner } from "../../trainer/chat/openChat.ts";
import type { ChatCommand } from "../arguments/chatArguments.ts";
import type { ProgramOptions, TrainerProgram } from "../arguments/programOptions.ts";
import { usedLines } from "../terminal/endLines.ts";
import { errorLines } from "../terminal/exitCode.ts";
import { quietLine, styled } from "../terminal/line.ts";
import { isPerson } from "../terminal/question.ts";
import { openingLines } from "./chatLines.ts";
import { TerminalChat } from "./chatSession.ts";

/**
 * Runs until the user leaves: by `/quit`, at the end of the input, or by an interrupt while nothing is in progress; otherwise an interrupt
 * stops sampling. An interrupt ends a script at once.
 * @throws AppError from the trainer; for a script also errors caused by a line, and `stopped`
 */
export async function chat(options: TrainerProgram, command: ChatCommand): Promise<void> {
  const { input, out, err, clock, fileSystem, trainer, interrupts } = options;
  const { kind: _, temperature, seed, maxTokens, samples, wantsJson, ...wanted } = command;
  const leaving = new AbortController();
  let session: TerminalChat | null = null;
  const release = interrupts(() => {
    const isSampling = session?.stop() === true;
    if (!isSampling || !isPerson(input))
      leaving.abort(new AppError("stopped", l10n.t("The conversation was stopped.")));
  });
  const onPart = (what: string): void => err.showLive(quietLine(what));
  const onNotice = (message: string): void => err.print([[styled("warning", message)]]);
  try {
    const { signal } = leaving;
    const opening = trainer.openChat(fileSystem, { ...wanted, onPart, onNotice, signal });
    const opened = await raceAbort(opening, leaving.signal);
    err.showLive(null);
    const settings: ChatSettings = {
      temperature,
      maxTokens,
      samples,
      answersBy: "environment",
      seed: seed ?? Math.floor(systemRandom.uniform() * SEEDS),
    };
    const shown = { width: out.columns, clean: <T extends object>(each: T) => opened.clean(each) };
    const notes = wantsJson ? err : out;
    notes.print(openingLines(opened, settings, shown));
    session = new TerminalChat({
      chat: opened,
      out,
      err,
      clock,
      fileSystem,
      settings,
      wantsJson,
    });
    try {
      await talk(options, session, leaving.signal);
      err.showLive(null);
      notes.print(usedLines(usedInAll(opened.partners)));
    } finally {
      await opened.close();
    }
  } catch (error) {
    if (!leaving.signal.aborted) throw error;
    if (!isPerson(input)) throw leaving.signal.reason;
  } finally {
    err.showLive(null);
    release();
  }
}

/** USD only if all prices are known. */
function usedInAll(partners: readonly ChatPartner[]): UsedTotal {
  const used = partners.map((partner) => partner.used());
  const costs = used.flatMap(({ costUsd }) => costUsd ?? []);
  const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
  return {
    tokens: sum(used.map(({ tokens }) => tokens)),
    costUsd: costs.length < used.length ? null : sum(costs),
  };
}

async function talk(
  { input, err, isDebug }: ProgramOptions,
  session: TerminalChat,
  signal: AbortSignal,
): Promise<void> {
  const attempt = async (action: () => Promise<boolean>): Promise<boolean> => {
    try {
      return await action();
    } catch (error) {
      if (!isPerson(input)) throw error;
      if (isAppError(error, "stopped")) err.print([quietLine(l10n.t("stopped"))]);
      else if (!isAppError(error)) throw error;
      else err.print(errorLines(error, isDebug));
      return true;
    }
  };
  await attempt(async () => {
    await session.begin();
    return true;
  });
  const ask = (): void => err.showLive([styled("accent", session.promptText), " "]);
  ask();
  for await (const line of linesOf(input, signal)) {
    err.showLive(null);
    if (!(await attempt(() => session.handle(line)))) return;
    ask();
  }
  if (!isPerson(input)) signal.throwIfAborted();
}

/** Lines of the input; a trailing backslash continues a line. Ends when the signal aborts. */
async function* linesOf(input: Readable, signal: AbortSignal): AsyncGenerator<string, void> {
  // Without an output stream, the terminal itself echoes and edits lines, and sends Ctrl+C as a signal.
  const reader = createInterface({ input });
  const close = (): void => reader.close();
  signal.addEventListener("abort", close, { once: true });
  let before = "";
  try {
    if (signal.aborted) return;
    for await (const line of reader) {
      // Lines that were read ahead.
      if (signal.aborted) return;
      if (line.endsWith("\\")) before += `${line.slice(0, -1)}\n`;
      else {
        yield before + line;
        before = "";
      }
    }
    if (before !== "") yield before;
  } finally {
    signal.removeEventListener("abort", close);
    close();
  }
}
