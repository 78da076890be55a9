/** How the program shows an editor a prompt: a request with keys over standard input, one line of JSON as the reply. */

import { promptRequestSchema } from "../../node/control/promptMessages.ts";
import type { PromptReply } from "../../shared/control.ts";
import { EXIT } from "../../shared/exitCodes.ts";
import type { ProgramOptions } from "../arguments/programOptions.ts";
import { asciiJson } from "../terminal/asciiJson.ts";
import { exitCodeOf } from "../terminal/exitCode.ts";
import { launchError, readRequest } from "./launch.ts";

/** Answers the request on standard input and resolves with the exit code. @throws AppError `bad-arguments` when there is none */
export async function previewForEditor({
  fileSystem,
  input,
  out,
  trainer,
}: Pick<ProgramOptions, "fileSystem" | "input" | "out" | "trainer">): Promise<number> {
  const { launch, ...choice } = await readRequest(input, promptRequestSchema, "--preview");
  const { configPath, overrides } = launch.training;
  const reply = (what: PromptReply): void => out.print([[asciiJson(what)]]);
  try {
    const description = await trainer.previewPrompt(fileSystem, {
      configPath,
      overrides,
      allowedOrigins: [],
      launchRequest: launch,
      ...choice,
      onPart: () => undefined,
    });
    reply({ ok: true, description });
    return EXIT.done;
  } catch (error) {
    reply({ ok: false, error: launchError(error) });
    return exitCodeOf(error);
  }
}
