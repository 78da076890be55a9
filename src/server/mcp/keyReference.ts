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
  const found = fieldsOf(wanted);
  if (found.length > 0) {
    const keys = found.map(({ key, field }) => ({ key, text: fieldMarkdown(field, "hosted") }));
    return { keys };
  }
  throw new AppError("tool-input", `${noSuchKey(wanted)} Without key this lists all.`);
}

/** The fields of a part of their path, or of a whole one with the names that a user chose in it. */
function fieldsOf(wanted: string): typeof ALL {
  const short = wanted.replaceAll(CHOSEN, "");
  const found = ALL.filter(({ key }) => {
    const plain = key.replaceAll(CHOSEN, "");
    return plain === short || plain.endsWith(`.${short}`);
  });
  if (found.length > 0) return found;
  const chosen = ALL.filter(({ key }) => chosenPath(key).test(wanted));
  // A name may hold dots, so that shorter paths fit as well.
  const most = Math.max(...chosen.map(({ key }) => key.split(".").length));
  return chosen.filter(({ key }) => key.split(".").length === most);
}

function chosenPath(key: string): RegExp {
  return new RegExp(`^${key.replaceAll(".", "\\.").replaceAll(/<[^>]*>/g, ".+")}$`);
}

/** A sentence that names keys which are meant instead: those that end like it, or are spelled like it. */
export function noSuchKey(wanted: string): string {
  const ending = fieldsOf(wanted).map(({ key }) => key);
  const known = ALL.map(({ key }) => key.replaceAll(CHOSEN, ""));
  const names = ending.length > 0 ? ending : nearestWords(wanted.replaceAll(CHOSEN, ""), known);
  return `There is no key ${wanted}.${names.length === 0 ? "" : ` Similar: ${names.join(", ")}.`}`;
}
