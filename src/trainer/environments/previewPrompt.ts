/** Shows the first prompt of one task as a run would send it: no step, no model that is trained, one session with one environment. */

import type { FileSystem } from "../../core/ports.ts";
import { describeTask } from "../../core/rollout/describeTask.ts";
import { Redactor } from "../../core/secrets/redaction/redactor.ts";
import { RunControl } from "../../core/training/run/control.ts";
import { raceAbort } from "../../core/util/abort.ts";
import { systemClock } from "../../node/clock.ts";
import type { PromptDescription, PromptPiece } from "../../shared/promptDescription.ts";
import { CleanupStack } from "../services/cleanupStack.ts";
import { openTaskOf, type Surroundings, type TaskRequest } from "./openTask.ts";

export type PreviewRequest = TaskRequest;

/** @throws AppError as a run does that cannot begin, cleaned of secrets */
export async function previewPrompt(
  fileSystem: FileSystem,
  request: PreviewRequest,
): Promise<PromptDescription> {
  const { redactor = new Redactor(), signal = new AbortController().signal } = request;
  const cleanup = new CleanupStack();
  const control = new RunControl();
  try {
    const describing = describe(fileSystem, request, { redactor, cleanup, control });
    return withoutSecrets(await raceAbort(describing, signal), redactor);
  } catch (error) {
    throw redactor.redactError(error);
  } finally {
    control.stop();
    await cleanup.closeAll();
  }
}

async function describe(
  fileSystem: FileSystem,
  request: PreviewRequest,
  surroundings: Surroundings,
): Promise<PromptDescription> {
  const { loaded, warnings, ...task } = await openTaskOf(fileSystem, request, surroundings);
  const { thinking, model_name } = loaded.config;
  const described = await describeTask({ ...task, thinking: thinking.enabled, clock: systemClock });
  return { ...described, model: model_name, warnings };
}

function withoutSecrets(description: PromptDescription, redactor: Redactor): PromptDescription {
  const clean = (pieces: readonly PromptPiece[]): readonly PromptPiece[] =>
    pieces.map((piece) => ({ ...piece, text: redactor.redact(piece.text) }));
  const { prompt, example } = description;
  return {
    ...description,
    prompt: clean(prompt),
    example:
      example === null
        ? null
        : { ...example, turn: clean(example.turn), bridge: clean(example.bridge) },
  };
}
