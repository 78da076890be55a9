/** Handlers of the commands that control a live run. */

import * as vscode from "vscode";
import type { RunEntry } from "../../api/runs.ts";
import { expectationOf } from "../../core/config/rules/expectation.ts";
import { isJsonObject } from "../../core/json.ts";
import { runPaths } from "../../core/runFolder/files/layout.ts";
import { MAX_BYTES } from "../../core/runFolder/files/wholeFiles.ts";
import { isPausable, isPaused } from "../../core/runs/runWords.ts";
import { parseJson } from "../../core/util/jsonl.ts";
import { readPlainText } from "../../node/readPlainText.ts";
import type { ControlCommand } from "../../shared/control.ts";
import type { RunList } from "../runs/runList.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import type { CommandHandlers } from "../vscode/registerCommands.ts";
import { askSettings, assignments } from "./askSettings.ts";
import { type ChooseRunOptions, chooseRun } from "./chooseRun.ts";
import {
  changeText,
  faultOfChanges,
  plainDoc,
  shownValue,
  tunableSettings,
} from "./tunableSettings.ts";

export function steerHandlers(options: ChooseRunOptions & { readonly store: RunList }) {
  const live = (
    target: unknown,
    fits: (run: RunEntry) => boolean = () => true,
    none = vscode.l10n.t("No run is running."),
  ): Promise<RunEntry | undefined> =>
    chooseRun(options, target, {
      placeHolder: vscode.l10n.t("Which run?"),
      none,
      fits: (run) => run.isLive && fits(run),
    });
  const send = async (run: RunEntry | undefined, command: ControlCommand): Promise<void> => {
    if (run === undefined) return;
    const message = await options.store.send(run.folder, command);
    plainWindow.setStatusBarMessage(`${run.name}: ${message}`);
  };
  return {
    pauseRun: async (target) =>
      send(await live(target, isPausable, vscode.l10n.t("No run can be paused now.")), {
        action: "pause",
      }),
    continueRun: async (target) =>
      send(await live(target, isPaused, vscode.l10n.t("No run is paused.")), {
        action: "continue",
      }),
    stopRun: async (target) => send(await live(target), { action: "stop" }),
    saveCheckpointNow: async (target) => send(await live(target), { action: "save" }),
    stopRunNow: async (target) => {
      const run = await live(target);
      if (run !== undefined && (await isSure(run))) await send(run, { action: "stop-now" });
    },
    changeRunSettings: async (target) => {
      const run = await live(target);
      if (run === undefined) return;
      const settings = await chooseSettings(run.folder);
      if (settings.length > 0) await send(run, { action: "change-settings", settings });
    },
  } satisfies Partial<CommandHandlers>;
}

async function isSure(run: RunEntry): Promise<boolean> {
  const stop = vscode.l10n.t("Stop Without Saving");
  const detail = vscode.l10n.t(
    "Steps after the last checkpoint are lost; a resume repeats them. Stop and Save keeps every completed step.",
  );
  const title = vscode.l10n.t("End {0} immediately?", run.name);
  return plainWindow.confirm(title, detail, stop);
}

/** `key=value` for each changed setting, validated like the configuration; empty if there are none. */
export async function chooseSettings(runFolder: string): Promise<readonly string[]> {
  const path = runPaths(runFolder).resolvedConfig;
  const text = (await readPlainText(path, MAX_BYTES.resolvedConfig, runFolder)) ?? "";
  const config = parseJson(text)?.value;
  const settings = isJsonObject(config) ? tunableSettings(config) : [];
  const chosen = await askSettings({
    settings,
    title: vscode.l10n.t("Change Settings from the Next Step On"),
    placeHolder: () => vscode.l10n.t("Which setting?"),
    ignoreFocusOut: false,
    row: (setting, next) => ({ description: `${shownValue(setting)} → ${next}` }),
    done: (changed) => {
      const changes = settings.flatMap((setting) => {
        const next = changed.get(setting.key);
        return next === undefined ? [] : [changeText(setting, next)];
      });
      const label =
        changes.length === 1
          ? vscode.l10n.t("Apply from the next step on")
          : vscode.l10n.t("Apply {0} changes from the next step on", changes.length);
      return { label, detail: changes.join(", ") };
    },
    prompt: (setting) =>
      vscode.l10n.t(
        "{0} Now: {1}. Expected: {2}.",
        plainDoc(setting.field),
        shownValue(setting),
        expectationOf(setting.field),
      ),
    unchanged: shownValue,
    fault: (changed) => faultOfChanges(text, assignments(changed)) ?? undefined,
  });
  return chosen === undefined ? [] : assignments(chosen);
}
