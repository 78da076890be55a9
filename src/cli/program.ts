/** The program behind the command line: dispatches a command and turns its outcome into an exit code. */

import { DRY_RUN_GROUPS } from "../shared/dryRun.ts";
import { EXIT } from "../shared/exitCodes.ts";
import type { EditorLaunch, RunEnd } from "../trainer/plan/types.ts";
import { type Command, parseArguments } from "./arguments/arguments.ts";
import type { ProgramOptions, TrainerProgram } from "./arguments/programOptions.ts";
import { chat } from "./chat/chat.ts";
import { runCheckpoints } from "./checkpoints/checkpoints.ts";
import { controlRun } from "./control.ts";
import { followDryRun } from "./dryRun.ts";
import { checkEnvironments } from "./env/check.ts";
import { newEnvironment } from "./env/newEnvironment.ts";
import { playInTerminal } from "./env/play.ts";
import { estimate, followEstimate } from "./estimate.ts";
import { followEvaluation } from "./evaluate.ts";
import { collect, exportRuns } from "./export.ts";
import { helpLines } from "./help/helpTexts.ts";
import { runForEditor } from "./launch.ts";
import { mcp } from "./mcp.ts";
import { modelLines } from "./models.ts";
import { report } from "./report.ts";
import { runListLines } from "./runs.ts";
import { searchTexts } from "./search.ts";
import { serveUntilInterrupt } from "./serve.ts";
import { serveModelUntilInterrupt } from "./serveModel.ts";
import { showRun } from "./show/show.ts";
import { showPrompt } from "./show/showPrompt.ts";
import { runSweep, trainStages } from "./sweep.ts";
import { errorLines, exitCodeOf, exitCodeOfRun } from "./terminal/exitCode.ts";
import { printAll } from "./terminal/terminal.ts";
import { followRun } from "./train.ts";
import { validate } from "./validate.ts";
import { viewUntilInterrupt } from "./view.ts";

/** Runs the command in `args` and resolves with the exit code; errors are printed, never thrown. */
export async function runProgram(
  options: ProgramOptions,
  args: readonly string[],
): Promise<number> {
  try {
    return await dispatch(options, parseArguments(args, options.invocation));
  } catch (error) {
    options.err.print(errorLines(error, options.isDebug));
    return exitCodeOf(error);
  }
}

async function dispatch(options: ProgramOptions, command: Command): Promise<number> {
  const { out } = options;
  const withTrainer = async (): Promise<TrainerProgram> => {
    return { ...options, trainer: await options.loadTrainer() };
  };
  switch (command.kind) {
    case "help":
      out.print(helpLines(command.topic, options.invocation));
      return EXIT.done;
    case "version":
      out.print([[options.version]]);
      return EXIT.done;
    case "train": {
      const { kind: _, ...request } = command;
      const program = await withTrainer();
      const staged = await trainStages(program, command);
      if (staged !== null) return staged;
      return exitCodeOfRun(
        await followRun(program, (watch) =>
          program.trainer.startTraining({ ...request, owner: "terminal", watch }),
        ),
      );
    }
    case "dry-run": {
      const { kind: _, ...request } = command;
      return exitCodeOfRun(
        await followDryRun(await withTrainer(), { ...request, owner: "terminal" }),
      );
    }
    case "resume": {
      const { kind: _, configPath, ...request } = command;
      const { overrides } = request;
      const named = configPath === null ? undefined : { configPath, overrides };
      const program = await withTrainer();
      return exitCodeOfRun(
        await followRun(program, (watch) =>
          program.trainer.resumeTraining({ ...request, named, owner: "terminal", watch }),
        ),
      );
    }
    case "evaluate": {
      const { kind: _, wantsJson, ...request } = command;
      return exitCodeOfRun(
        await followEvaluation(await withTrainer(), { ...request, owner: "terminal" }, wantsJson),
      );
    }
    case "estimate":
      return exitCodeOfRun(await estimate(await withTrainer(), command));
    case "sweep":
      return runSweep(await withTrainer(), command);
    case "launch": {
      const program = await withTrainer();
      return runForEditor(program, command.folder, (launch) => followLaunch(program, launch));
    }
    case "control":
      out.print(await controlRun(options, command));
      return EXIT.done;
    case "validate": {
      const { isValid, lines } = await validate(options.fileSystem, command);
      out.print(lines);
      return isValid ? EXIT.done : EXIT.invalid;
    }
    case "show-prompt":
      return done(showPrompt(await withTrainer(), command));
    case "runs":
      out.print(await runListLines(options, command));
      return EXIT.done;
    case "show":
      return done(printAll(out, showRun(options, command)));
    case "search":
      return done(searchTexts(options, command));
    case "report":
      return done(report(options, command));
    case "export":
      return done(exportRuns(options, command));
    case "collect":
      return exitCodeOfRun(await collect(await withTrainer(), command));
    case "models":
      out.print(await modelLines(await withTrainer(), command));
      return EXIT.done;
    case "chat":
      return done(chat(await withTrainer(), command));
    case "checkpoints":
      return done(runCheckpoints(await withTrainer(), command));
    case "env-play":
      return done(playInTerminal(await withTrainer(), command));
    case "env-check":
      return checkEnvironments(await withTrainer(), command);
    case "env-new":
      return done(newEnvironment(options, command));
    case "serve":
      return done(serveUntilInterrupt(await withTrainer(), command));
    case "serve-model":
      return done(serveModelUntilInterrupt(await withTrainer(), command));
    case "view":
      return done(viewUntilInterrupt(options, command));
    case "mcp":
      return done(mcp(options, command));
    case "lsp":
      return done(options.serveEditor());
  }
}

async function done(work: Promise<void>): Promise<number> {
  await work;
  return EXIT.done;
}

/** Runs the training that an editor started. Its screen prints no shell commands: the editor has commands of its own. */
function followLaunch(options: TrainerProgram, launch: EditorLaunch): Promise<RunEnd> {
  const { trainer, invocation } = options;
  const { configPath, resume, overrides, sweep, instead } = launch.launchRequest.training;
  const inEditor = { ...options, invocation: { ...invocation, program: null } };
  const common = { owner: "editor", launch, overrides, configPath } as const;
  if (instead?.kind === "evaluate") {
    const { models } = instead;
    const run = resume === null ? {} : { run: resume };
    return followEvaluation(inEditor, { ...common, ...run, models, splits: [] }, false);
  }
  if (instead?.kind === "dry_run") {
    return followDryRun(inEditor, { ...common, groups: DRY_RUN_GROUPS, isKept: false });
  }
  if (instead?.kind === "estimate") {
    // The editor has asked before, where groups are played at a cost.
    return followEstimate(inEditor, { ...common, from: null, groups: null }, false);
  }
  return followRun(inEditor, (watch) => {
    const request = { owner: "editor", launch, overrides, watch } as const;
    return resume === null
      ? trainer.startTraining({ ...request, configPath, sweep })
      : trainer.resumeTraining({ ...request, folder: resume });
  });
}
