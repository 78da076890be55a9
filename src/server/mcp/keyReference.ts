/** Reference documentation for configuration keys, from the table of fields. */

import { fieldMarkdown } from "../../core/config/editing/descriptions/fieldText.ts";
import { fieldSections } from "../../core/config/fields/fields.ts";
import { AppError } from "../../core/errors.ts";
import type { Json } from "../../core/json.ts";
import { nearestWords } from "../../shared/editDistance.ts";

/** A placeholder in a place of the table, such as `environments.<name>`. */
const CHOSEN = /\.<[^>]*>/g;

const ALL = fieldSections.flatMap(({ place, fields }) =>
  Object.entries(fields).map(([key, field]) => ({
    key: place === "" ? key : `${place}.${key}`,
    field,
  })),
);

/** All keys by section if `wanted` is null. @throws AppError `no-such-number` for an unknown key */
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

/** Fields by the end of their path, or by a full path that contains user-chosen names. */
function fieldsOf(wanted: string): typeof ALL {
  const short = wanted.replaceAll(CHOSEN, "");
  const found = ALL.filter(({ key }) => {
    const plain = key.replaceAll(CHOSEN, "");
    return plain === short || plain.endsWith(`.${short}`);
  });
  if (found.length > 0) return found;
  const chosen = ALL.filter(({ key }) => chosenPath(key).test(wanted));
  // A chosen name may contain dots, so shorter patterns can match as well.
  const most = Math.max(...chosen.map(({ key }) => key.split(".").length));
  return chosen.filter(({ key }) => key.split(".").length === most);
}

function chosenPath(key: string): RegExp {
  return new RegExp(`^${key.replaceAll(".", "\\.").replaceAll(/<[^>]*>/g, ".+")}$`);
}

/** An error message that suggests keys with the same ending or a similar spelling. */
export function noSuchKey(wanted: string): string {
  const ending = fieldsOf(wanted).map(({ key }) => key);
  const known = ALL.map(({ key }) => key.replaceAll(CHOSEN, ""));
  const names = ending.length > 0 ? ending : nearestWords(wanted.replaceAll(CHOSEN, ""), known);
  return `There is no key ${wanted}.${names.length === 0 ? "" : ` Similar: ${names.join(", ")}.`}`;
}
