/** What the table of fields says about keys of a configuration. */

import { fieldMarkdown } from "../../core/config/editing/descriptions/fieldText.ts";
import { fieldSections } from "../../core/config/fields/fields.ts";
import { AppError } from "../../core/errors.ts";
import type { Json } from "../../core/json.ts";
import { nearestWords } from "../../shared/editDistance.ts";

/** A place in the table, such as `environments.<name>`, or the name of the user's choice in it. */
const CHOSEN = /\.<[^>]*>/g;

const ALL = fieldSections.flatMap(({ place, fields }) =>
  Object.entries(fields).map(([key, field]) => ({
    key: place === "" ? key : `${place}.${key}`,
    field,
  })),
);

/** All keys by section for null. @throws AppError `no-such-number` for one that does not exist */
export function keyReference(wanted: string | null): Json {
  if (wanted === null) {
    const sections = fieldSections.map(({ title, place, fields }) => ({
      title,
      place,
      keys: Object.keys(fields).join(" "),
    }));
    return { sections };
  }
  const short = wanted.replaceAll(CHOSEN, "");
  const found = ALL.filter(({ key }) => {
    const plain = key.replaceAll(CHOSEN, "");
    return plain === short || key === wanted || plain.endsWith(`.${short}`);
  });
  if (found.length > 0) {
    const keys = found.map(({ key, field }) => ({ key, text: fieldMarkdown(field, "hosted") }));
    return { keys };
  }
  const names = nearestWords(
    short,
    ALL.map(({ key }) => key.replaceAll(CHOSEN, "")),
  );
  throw new AppError(
    "tool-input",
    `There is no key ${wanted}.${names.length === 0 ? "" : ` Similar: ${names.join(", ")}.`} Without key this lists all.`,
  );
}
