/** Creates a new Python environment from a template, and its configuration entry. */

import { join } from "node:path";
import * as l10n from "@vscode/l10n";
import type { NewEnvironment, NewEnvironmentRequest } from "../../api/environments.ts";
import { insertEnvironment } from "../../core/config/editing/edits/insertEnvironment.ts";
import { applyEdits } from "../../core/config/editing/text/textEdit.ts";
import { AppError, isAppError } from "../../core/errors.ts";
import type { FileSystem } from "../../core/ports.ts";
import { MAX_BYTES } from "../../core/runFolder/files/wholeFiles.ts";
import { environmentConfig, environmentEntry } from "../../core/scaffold/environmentEntry.ts";
import {
  ENVIRONMENT_TEMPLATES,
  fillTemplate,
  isEnvironmentName,
  requirementsIn,
} from "../../core/scaffold/environmentTemplates.ts";
import { venvPython } from "./virtualEnvironment.ts";

interface Templates {
  /** Contains a folder per template, and `shared` for all of them. */
  readonly templatesFolder: string;
}

const IGNORED = ".venv/\n__pycache__/\n.pytest_cache/\n*.egg-info/\n";

/**
 * Writes the files, all of them within the new folder.
 * @throws AppError `bad-arguments` for an invalid name, `environment-exists`, `disk`
 */
export async function writeEnvironment(
  fileSystem: FileSystem,
  { name, template: kind, folder: root, templatesFolder }: NewEnvironmentRequest & Templates,
): Promise<NewEnvironment> {
  requireName(name);
  const template = ENVIRONMENT_TEMPLATES.find((each) => each.kind === kind);
  if (template === undefined) throw new AppError("bad-arguments", `There is no template ${kind}.`);
  const source = join(templatesFolder, kind);
  const guide = await fileSystem.readText(join(templatesFolder, "shared/guide.md"));
  const texts = await Promise.all(
    (await fileSystem.list(source))
      .filter((file) => /^\w[\w.]*\.(?:py|toml|jsonl|md)$/.test(file))
      .map(async (file) => {
        const text = await fileSystem.readText(join(source, file));
        return [file, fillTemplate(text, name, guide)] as const;
      }),
  );
  const folder = `environments/${name}`;
  await claimFolder(fileSystem, root, folder);
  for (const [file, text] of [...texts, [".gitignore", IGNORED] as const]) {
    await fileSystem.writeAtomic(join(root, folder, file), text);
  }
  const python = venvPython(folder);
  const entry = environmentEntry(template, { python, program: `${folder}/environment.py` });
  return {
    name,
    folder,
    files: texts.map(([file]) => file),
    python,
    requirements: requirementsIn(new Map(texts).get("pyproject.toml") ?? ""),
    entry,
    config: environmentConfig(name, { ...template, hasTest: true }, entry),
  };
}

/** The outcome for the configuration; with `impossible` the user must add the entry. */
export type EntryOutcome = "created" | "added" | "present" | "impossible";

/** Adds the environment to a configuration, which is created if it does not exist. @throws AppError `disk` */
export async function addToConfig(
  fileSystem: FileSystem,
  path: string,
  { name, entry, config }: NewEnvironment,
): Promise<EntryOutcome> {
  if ((await fileSystem.size(path)) === null) {
    await fileSystem.writeAtomic(path, config);
    return "created";
  }
  const text = await fileSystem.readText(path, MAX_BYTES.config);
  const insertion = insertEnvironment(text, name, { path, entry, hasTest: true });
  if (insertion.kind !== "edits") return insertion.kind;
  await fileSystem.writeAtomic(path, applyEdits(text, insertion.edits));
  return "added";
}

function requireName(name: string): void {
  if (isEnvironmentName(name)) return;
  throw new AppError(
    "bad-arguments",
    l10n.t(
      "{0} cannot be the name of an environment. Use lowercase letters, digits, _ and -, with a letter first.",
      JSON.stringify(name),
    ),
  );
}

async function claimFolder(fileSystem: FileSystem, root: string, folder: string): Promise<void> {
  await fileSystem.makeDirectory(join(root, "environments"));
  try {
    await fileSystem.claimDirectory(join(root, folder));
  } catch (error) {
    if (!isAppError(error, "exists")) throw error;
    throw new AppError(
      "environment-exists",
      l10n.t("{0} is already there. Choose another name, or delete that folder.", folder),
    );
  }
}
