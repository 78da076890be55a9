/** Handlers of the commands that open conversations: with checkpoints, or from a turn of a stored rollout. */

import * as vscode from "vscode";
import * as z from "zod";
import type { RunEntry } from "../../api/runs.ts";
import type { FileSystem } from "../../core/ports.ts";
import { createRunReader } from "../../core/runFolder/reader.ts";
import { formatCount } from "../../shared/format.ts";
import type { ChatPanels, ChatSubject } from "../chat/chatPanels.ts";
import type { SavedSource } from "../views/savedCheckpoints.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import type { CommandHandlers } from "../vscode/registerCommands.ts";
import { askBeside, askTask, isTraining } from "./askChat.ts";
import { type ChooseRunOptions, chooseAnyRun } from "./chooseRun.ts";

export interface ChatHandlerOptions extends ChooseRunOptions {
  readonly panels: ChatPanels;
  readonly fileSystem: FileSystem;
  readonly saved: Pick<SavedSource, "read" | "usable">;
}

const count = z.number().int().nonnegative();
/** All numbers count from 0. */
const turnSchema = z.object({
  folder: z.string(),
  source: z.enum(["training", "evaluation"]),
  step: count,
  group: count,
  rollout: count,
  turn: count,
});

export function chatHandlers(options: ChatHandlerOptions) {
  const { fileSystem } = options;
  const open = (subject: ChatSubject): void =>
    options.panels.open(subject, (before, what) =>
      what === "beside" ? askBeside(options, before) : withTask(before.run, before.start.targets),
    );
  return {
    chatWithCheckpoint: async (target) => {
      const run = await chooseAnyRun(options, target, isTraining);
      if (run === undefined) return;
      requireTraining(run);
      const place = placeOf(run);
      const weights = await chooseWeights(options, run, target);
      if (weights === undefined) return;
      const subject = await withTask(place, [weights]);
      if (subject !== undefined) open(subject);
    },
    continueFromHere: async (target) => {
      const place = turnSchema.safeParse(target).data;
      const run = place === undefined ? null : options.store.get(place.folder);
      if (place === undefined || run === null) return;
      const { folder, source, step, group, rollout, turn } = place;
      const reader = createRunReader(fileSystem.within(folder), folder);
      const rollouts = await reader.rollouts(step, source);
      const stored = rollouts.find((each) => each.group === group && each.rollout === rollout);
      if (stored === undefined) return;
      const { environment } = stored;
      const isReplayed = await askReplay(environment);
      if (isReplayed === undefined) return;
      open({
        run: placeOf(run),
        environment: isReplayed ? environment : null,
        start: {
          targets: [run.folder],
          task: null,
          isReplayed,
          system: null,
          turn: {
            source,
            step: source === "training" ? step + 1 : step,
            group: group + 1,
            rollout: rollout + 1,
            turn: turn + 1,
          },
        },
      });
    },
  } satisfies Partial<CommandHandlers>;
}

/** @throws Error for an evaluation */
function requireTraining({ name, file }: RunEntry): void {
  if (file?.evaluation === undefined) return;
  throw new Error(
    vscode.l10n.t("{0} is an evaluation. Talk to a checkpoint of the run that it measures.", name),
  );
}

/** @throws Error if the run has no `run.json` */
function placeOf({ folder, name, file }: RunEntry): ChatSubject["run"] {
  if (file !== null) return { folder, name, configPath: file.configPath };
  throw new Error(
    vscode.l10n.t("{0} does not record which configuration it was started with.", name),
  );
}

/** Path of the checkpoint the command was called on, or that the user picks; the run's folder for the newest. */
async function chooseWeights(
  { saved }: ChatHandlerOptions,
  { folder, name }: RunEntry,
  target: unknown,
): Promise<string | undefined> {
  const wanted = z.object({ name: z.string() }).safeParse(target).data?.name;
  if (wanted !== undefined) {
    const entries = await saved.read(folder);
    const path = entries.findLast((entry) => entry.name === wanted)?.sampler_path ?? null;
    if (path !== null) return path;
    throw new Error(
      vscode.l10n.t(
        "The checkpoint {0} of {1} has no sampler to talk to. Choose another one.",
        wanted,
        name,
      ),
    );
  }
  // A run's row stands for its newest weights.
  if (target != null) return folder;
  const usable = (await saved.usable(folder)).filter(({ sampler_path }) => sampler_path);
  const items = usable.map(({ step, kind, sampler_path }, index) => ({
    label: vscode.l10n.t("Step {0}", formatCount(step)),
    description: kind,
    path: index === 0 ? folder : (sampler_path ?? folder),
  }));
  if (items.length < 2) return folder;
  const placeHolder = vscode.l10n.t("Which checkpoint?");
  return (await plainWindow.showQuickPick(items, { placeHolder }))?.path;
}

async function withTask(
  run: ChatSubject["run"],
  targets: readonly string[],
): Promise<ChatSubject | undefined> {
  const task = await askTask(run);
  if (task === undefined) return undefined;
  return {
    run,
    environment: task?.environment ?? null,
    start: { targets, task, turn: null, isReplayed: false, system: null },
  };
}

async function askReplay(environment: string): Promise<boolean | undefined> {
  const items = [
    {
      label: vscode.l10n.t("I Answer the Model's Calls"),
      detail: vscode.l10n.t("Begins immediately, after the tokens that the model read there."),
      isReplayed: false,
    },
    {
      label: vscode.l10n.t("{0} Answers Them", environment),
      detail: vscode.l10n.t(
        "Replays the earlier turns in a new session, which must give the same answers.",
      ),
      isReplayed: true,
    },
  ];
  const placeHolder = vscode.l10n.t("Who answers the model's calls from here on?");
  return (await plainWindow.showQuickPick(items, { placeHolder }))?.isReplayed;
}
