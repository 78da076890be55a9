/** Shows the first prompt of a task as a run would send it, with a single environment session and no model. */

import type { FileSystem } from "../../core/ports.ts";
import { describeTask } from "../../core/rollout/describeTask.ts";
import type { Redactor } from "../../core/secrets/redaction/redactor.ts";
import { raceAbort } from "../../core/util/abort.ts";
import type { PromptDescription, PromptPiece } from "../../shared/promptDescription.ts";
import { type Surroundings, withSurroundings } from "../services/outsideOfRuns.ts";
import { openTaskOf, type TaskRequest } from "./openTask.ts";

export type PreviewRequest = TaskRequest;

/** @throws AppError like a run that cannot start, cleaned of secrets */
export async function previewPrompt(
  fileSystem: FileSystem,
  request: PreviewRequest,
): Promise<PromptDescription> {
  const { signal = new AbortController().signal } = request;
  return withSurroundings(request.redactor, async (surroundings) => {
    const describing = describe(fileSystem, request, surroundings);
    return withoutSecrets(await raceAbort(describing, signal), surroundings.redactor);
  });
}

async function describe(
  fileSystem: FileSystem,
  request: PreviewRequest,
  surroundings: Surroundings,
): Promise<PromptDescription> {
  const { loaded, warnings, ...task } = await openTaskOf(fileSystem, request, surroundings);
  const { thinking, model_name } = loaded.config;
  const described = await describeTask({ ...task, thinking: thinking.enabled });
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
