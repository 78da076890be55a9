/** Which lists of services would help at a place of a configuration. */

import { isLocalModel } from "../../fields/presets.ts";
import { languageOf } from "../../source/yamlSource.ts";
import { type Cursor, cursorAt } from "../text/cursor.ts";
import type { CatalogueLists } from "./catalogue.ts";

/** None where words are completed that no service knows, and none about environments for a model of this computer. Never throws. */
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
