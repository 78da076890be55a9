/** The command line program: dispatches a command and converts its outcome to an exit code. */

import { DRY_RUN_GROUPS } from "../shared/dryRun.ts";
import { EXIT } from "../shared/exitCodes.ts";
import type { EditorLaunch, RunEnd } from "../trainer/plan/types.ts";
import { type Command, parseArguments } from "./arguments/arguments.ts";
import type { ProgramOptions, TrainerProgram } from "./arguments/programOptions.ts";
import { errorLines, exitCodeOf, exitCodeOfRun } from "./terminal/exitCode.ts";
import { printAll } from "./terminal/terminal.ts";

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

/** Runs a command, loading only the code it needs. */
async function dispatch(options: ProgramOptions, command: Command): Promise<number> {
  const { out } = options;
  const withTrainer = async (): Promise<TrainerProgram> => {
    return { ...options, trainer: await options.loadTrainer() };
  };
  switch (command.kind) {
    case "help": {
      const { helpLines } = await import("./help/helpTexts.ts");
      out.print(helpLines(command.topic, options.invocation));
      return EXIT.done;
    }
    case "version":
      out.print([[options.version]]);
      return EXIT.done;
    case "train": {
      const { kind: _, ...request } = command;
      const program = await withTrainer();
      const { trainStages } = await import("./sweep.ts");
      const staged = await trainStages(program, command);
      if (staged !== null) return staged;
      const { followRun } = await import("./train.ts");
      return exitCodeOfRun(
        await followRun(program, (watch) =>
          program.trainer.startTraining({ ...request, owner: "terminal", watch }),
        ),
      );
    }
    case "dry-run": {
      const { kind: _, ...request } = command;
      const { followDryRun } = await import("./dryRun.ts");
      return exitCodeOfRun(
        await followDryRun(await withTrainer(), { ...request, owner: "terminal" }),
      );
    }
    case "resume": {
      const { kind: _, configPath, ...request } = command;
      const { overrides } = request;
      const named = configPath === null ? undefined : { configPath, overrides };
      const program = await withTrainer();
      const { followRun } = await import("./train.ts");
      return exitCodeOfRun(
        await followRun(program, (watch) =>
          program.trainer.resumeTraining({ ...request, named, owner: "terminal", watch }),
        ),
      );
    }
    case "evaluate": {
      const { kind: _, wantsJson, ...request } = command;
      const { followEvaluation } = await import("./evaluate.ts");
      return exitCodeOfRun(
        await followEvaluation(await withTrainer(), { ...request, owner: "terminal" }, wantsJson),
      );
    }
    case "estimate": {
      const { estimate } = await import("./estimate.ts");
      return exitCodeOfRun(await estimate(await withTrainer(), command));
    }
    case "sweep": {
      const { runSweep } = await import("./sweep.ts");
      return runSweep(await withTrainer(), command);
    }
    case "launch": {
      const program = await withTrainer();
      const { runForEditor } = await import("./launch.ts");
      return runForEditor(program, command.folder, (launch) => followLaunch(program, launch));
    }
    case "control": {
      const { controlRun } = await import("./control.ts");
      out.print(await controlRun(options, command));
      return EXIT.done;
    }
    case "validate": {
      const { validate } = await import("./validate.ts");
      const { isValid, lines } = await validate(options.fileSystem, command);
      out.print(lines);
      return isValid ? EXIT.done : EXIT.invalid;
    }
    case "show-prompt": {
      const { showPrompt } = await import("./show/showPrompt.ts");
      return done(showPrompt(await withTrainer(), command));
    }
    case "runs": {
      const { runListLines } = await import("./runs.ts");
      out.print(await runListLines(options, command));
      return EXIT.done;
    }
    case "show": {
      const { showRun } = await import("./show/show.ts");
      return done(printAll(out, showRun(options, command)));
    }
    case "search": {
      const { searchTexts } = await import("./search.ts");
      return done(searchTexts(options, command));
    }
    case "report": {
      const { report } = await import("./report.ts");
      return done(report(options, command));
    }
    case "export": {
      const { exportRuns } = await import("./export.ts");
      return done(exportRuns(options, command));
    }
    case "collect": {
      const { collect } = await import("./export.ts");
      return exitCodeOfRun(await collect(await withTrainer(), command));
    }
    case "models": {
      const { modelLines } = await import("./models.ts");
      out.print(await modelLines(await withTrainer(), command));
      return EXIT.done;
    }
    case "chat": {
      const { chat } = await import("./chat/chat.ts");
      return done(chat(await withTrainer(), command));
    }
    case "checkpoints": {
      const { runCheckpoints } = await import("./checkpoints/checkpoints.ts");
      return done(runCheckpoints(await withTrainer(), command));
    }
    case "env-play": {
      const { playInTerminal } = await import("./env/play.ts");
      return playInTerminal(await withTrainer(), command);
    }
    case "env-check": {
      const { checkEnvironments } = await import("./env/check.ts");
      return checkEnvironments(await withTrainer(), command);
    }
    case "env-new": {
      const { newEnvironment } = await import("./env/newEnvironment.ts");
      return done(newEnvironment(options, command));
    }
    case "serve": {
      const { serveUntilInterrupt } = await import("./serve.ts");
      return done(serveUntilInterrupt(await withTrainer(), command));
    }
    case "serve-model": {
      const { serveModelUntilInterrupt } = await import("./serveModel.ts");
      return done(serveModelUntilInterrupt(await withTrainer(), command));
    }
    case "view": {
      const { viewUntilInterrupt } = await import("./view.ts");
      return done(viewUntilInterrupt(options, command));
    }
    case "mcp": {
      const { mcp } = await import("./mcp.ts");
      return done(mcp(options, command));
    }
    case "lsp":
      return done(options.serveEditor());
  }
}

async function done(work: Promise<void>): Promise<number> {
  await work;
  return EXIT.done;
}

/** Runs the training that an editor started. Prints no shell commands, because the editor has its own commands. */
async function followLaunch(options: TrainerProgram, launch: EditorLaunch): Promise<RunEnd> {
  const { trainer, invocation } = options;
  const { configPath, resume, overrides, sweep, instead } = launch.launchRequest.training;
  const inEditor = { ...options, invocation: { ...invocation, program: null } };
  const common = { owner: "editor", launch, overrides, configPath } as const;
  if (instead?.kind === "evaluate") {
    const { models } = instead;
    const run = resume === null ? {} : { run: resume };
    const { followEvaluation } = await import("./evaluate.ts");
    return followEvaluation(inEditor, { ...common, ...run, models, splits: [] }, false);
  }
  if (instead?.kind === "dry_run") {
    const { followDryRun } = await import("./dryRun.ts");
    return followDryRun(inEditor, { ...common, groups: DRY_RUN_GROUPS, isKept: false });
  }
  if (instead?.kind === "estimate") {
    const { followEstimate } = await import("./estimate.ts");
    // The editor has already asked for consent if groups cost money.
    const { grid } = instead;
    return followEstimate(inEditor, { ...common, from: null, groups: null, grid }, false);
  }
  const { followRun } = await import("./train.ts");
  return followRun(inEditor, (watch) => {
    const request = { owner: "editor", launch, overrides, watch } as const;
    return resume === null
      ? trainer.startTraining({ ...request, configPath, sweep })
      : trainer.resumeTraining({ ...request, folder: resume });
  });
}
