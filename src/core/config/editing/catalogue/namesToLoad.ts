/** Decides which lists of a service would help complete a place in a configuration. */

import { isLocalModel } from "../../fields/presets.ts";
import { languageOf } from "../../source/yamlSource.ts";
import { type Cursor, cursorAt } from "../text/cursor.ts";
import type { CatalogueLists } from "./catalogue.ts";

/** Empty where no service knows the words, and for environments when the model is local. Never throws. */
export function namesToLoad(
  text: string,
  offset: number,
  { path }: { readonly path: string },
): readonly (keyof CatalogueLists)[] {
  const cursor = cursorAt(text, offset, languageOf(path));
  if (cursor === null) return [];
  return cursor.kind === "key" ? listsOfKeys(cursor) : listsOfValues(cursor);
}

function listsOfKeys({ path, keys }: Cursor): readonly (keyof CatalogueLists)[] {
  const place = path.join(".");
  if (place !== "environments" && place !== "evaluation.splits") return [];
  const model = keys.find((found) => found.path.length === 0 && found.key === "model_name")?.value;
  return isLocalModel(model ?? "") ? [] : ["environments"];
}

function listsOfValues({ path }: Cursor): readonly (keyof CatalogueLists)[] {
  switch (path.join(".")) {
    case "model_name":
    case "tokenizer_name":
      return ["models"];
    case "resume_from":
    case "init_from":
      return ["checkpoints"];
    default:
      return [];
  }
}
