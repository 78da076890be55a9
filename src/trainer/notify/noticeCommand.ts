/** Runs a `notify` command for one message: without a shell or keys, with a time limit, and ending its children too. */

import { AppError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { messageText, type NoticeMessage } from "../../core/notify/notice.ts";
import { messageJson } from "../../core/notify/webhookBody.ts";
import { systemClock } from "../../node/clock.ts";
import { NOT_STARTED, scriptHint } from "../../node/notStarted.ts";
import { OutputTail, startKeptCommand } from "../services/keptCommand.ts";
import type { LocalPrograms } from "../services/localServices.ts";

export interface NoticeCommand {
  readonly command: readonly string[];
  /** Folder of the configuration, its working directory. */
  readonly folder: string;
  readonly programs: LocalPrograms;
  /** Null until the run has one. */
  readonly runFolder: () => string | null;
  /** Removes secrets from what is quoted. */
  readonly clean: (text: string) => string;
}

const LIMIT_MS = 10_000;
/** Characters of output quoted in an error: the last ones, which say why it failed. */
const SHOWN_OUTPUT = 300;
const KEPT_OUTPUT = 2_000;
/** Variables needed to show desktop notifications. */
const DESKTOP_VARIABLES = [
  "DISPLAY",
  "WAYLAND_DISPLAY",
  "XDG_RUNTIME_DIR",
  "DBUS_SESSION_BUS_ADDRESS",
];

/** @throws AppError `notification-failed` if it does not exit with code 0 in time; the reason of `signal` */
export async function runNoticeCommand(
  { command, folder, programs, runFolder, clean }: NoticeCommand,
  message: NoticeMessage,
  signal: AbortSignal,
): Promise<void> {
  const json: JsonObject = { ...messageJson(message), folder: runFolder() };
  const output = new OutputTail(KEPT_OUTPUT);
  const child = startKeptCommand({
    command,
    cwd: folder,
    programFolder: programs.folder,
    passed: DESKTOP_VARIABLES,
    variables: {
      TINKER_RL_INPUT: `${JSON.stringify(json)}\n`,
      TINKER_RL_EVENT: message.notice.events[0],
      TINKER_RL_MESSAGE: messageText(message),
    },
    onOutput: (text) => output.add(text),
  });
  await new Promise<void>((resolve, reject) => {
    /** The wrapper process ends the command and its children once its input is closed. */
    const giveUp = (reason: unknown): void => {
      child.stdin?.end();
      for (const stream of [child.stdout, child.stderr]) stream?.destroy();
      child.unref();
      settle(() => reject(reason));
    };
    const onAbort = (): void => giveUp(signal.reason);
    const stopTimer = systemClock.after(LIMIT_MS, () =>
      giveUp(failed(`it took longer than ${LIMIT_MS / 1000} s`)),
    );
    const settle = (end: () => void): void => {
      stopTimer();
      signal.removeEventListener("abort", onAbort);
      end();
    };
    child.once("error", (error) => settle(() => reject(failed(error.message))));
    child.once("close", (code) => {
      settle(() => (code === 0 ? resolve() : reject(failed(ending(code, clean(output.whole))))));
    });
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
}

function ending(code: number | null, output: string): string {
  const said = output.trim().slice(-SHOWN_OUTPUT);
  if (code === NOT_STARTED) return `it cannot be started: ${said}${scriptHint()}`;
  return `it ended with code ${code}${said === "" ? "" : ` and printed: ${said}`}`;
}

function failed(why: string): AppError {
  return new AppError("notification-failed", why);
}
