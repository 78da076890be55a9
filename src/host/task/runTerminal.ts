/** The terminal of a training task: shows the trainer's output, and handles a few keys. It owns nothing; closing it only detaches. */

import * as l10n from "@vscode/l10n";
import type * as vscode from "vscode";
import { errorMessage, isAppError } from "../../core/errors.ts";
import { Emitter } from "../../core/util/emitter.ts";
import { EXIT } from "../../shared/exitCodes.ts";
import type { TerminalAction } from "../runs/launchWatch.ts";
import type { Training } from "../runs/trainings.ts";
import { TerminalText } from "./terminalText.ts";

/** VS Code reports any other exit code as a failure, in addition to the terminal's own message. */
const SUCCESS = EXIT.done;
/** Exit codes of requested stops; the trainer's last output says which it was. */
const STOPS: ReadonlySet<number> = new Set([EXIT.stopped, EXIT.interrupted]);

const CTRL_C = "\u0003";

export class RunTerminal implements vscode.Pseudoterminal {
  readonly #training: Training;
  readonly #show: () => void;
  readonly #writes = new Emitter<string>();
  readonly onDidWrite = this.#writes.event;
  readonly #closes = new Emitter<number>();
  readonly onDidClose = this.#closes.event;
  readonly #closing = new AbortController();
  readonly #text = new TerminalText();
  #isPaused = false;
  #isStopping = false;
  #isOver = false;

  /** `show` brings the terminal to the front: called for an end that is not shown elsewhere, because there is no run. */
  constructor(training: Training, show: () => void = () => undefined) {
    this.#training = training;
    this.#show = show;
  }

  open(): void {
    this.#run().then(
      (code) => this.#end(code),
      (error: unknown) => {
        if (this.#closing.signal.aborted) return;
        this.#print(`${l10n.t("error:")} ${errorMessage(error)}\n`);
        this.#show();
        // The user can fix an AppError; any other error is a bug.
        this.#end(isAppError(error) ? EXIT.invalid : EXIT.fault);
      },
    );
  }

  /** VS Code calls this when the user closes the terminal, and after the end. */
  close(): void {
    if (!this.#isOver) this.#training.detached();
    this.#closing.abort(new Error("The terminal was closed."));
  }

  handleInput(data: string): void {
    if (this.#isOver) return;
    for (const key of data) this.#press(key);
  }

  #press(key: string): void {
    if (key === "?") this.#print(`${helpText()}\n`);
    const action = this.#actionOf(key);
    if (action !== null) this.#send(action);
    if (key === "p") this.#isPaused = !this.#isPaused;
    if (key === CTRL_C) this.#isStopping = true;
  }

  #actionOf(key: string): TerminalAction | null {
    if (key === "p") return this.#isPaused ? "continue" : "pause";
    if (key === "s") return "save";
    if (key === "q") return "stop";
    if (key === CTRL_C) return this.#isStopping ? "stop-now" : "stop";
    return null;
  }

  #send(action: TerminalAction): void {
    this.#training.send(action).then(
      (message) => {
        if (message !== "") this.#print(`${message}\n`);
      },
      (error: unknown) => {
        // Revert, so that the same key requests the failed action again.
        if (action === "pause" || action === "continue") this.#isPaused = action === "continue";
        if (action === "stop") this.#isStopping = false;
        this.#print(`${errorMessage(error)}\n`);
      },
    );
  }

  async #run(): Promise<number> {
    const end = await this.#training.follow({
      print: (text) => this.#print(text),
      signal: this.#closing.signal,
    });
    // The user canceled before it started.
    if (end === null) return SUCCESS;
    if (end.exitCode !== null) {
      const code = STOPS.has(end.exitCode) ? SUCCESS : end.exitCode;
      if (code !== SUCCESS && end.folder === null) this.#show();
      return code;
    }
    const gone = l10n.t(
      "The trainer ended without a report. You can resume the run from its last checkpoint.",
    );
    this.#print(`\n${gone}\n`);
    return EXIT.interrupted;
  }

  #end(code: number): void {
    this.#isOver = true;
    if (!this.#closing.signal.aborted) this.#closes.fire(code);
  }

  #print(text: string): void {
    if (!this.#closing.signal.aborted) this.#writes.fire(this.#text.next(text));
  }
}

function helpText(): string {
  return l10n.t(
    "Keys: p pause or continue · s save a checkpoint · q stop and save · ? this help. The run continues if you close the terminal.",
  );
}
