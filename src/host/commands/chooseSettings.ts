/** Asks for new values of settings that may change while a run goes on. */

import { readFile } from "node:fs/promises";
import * as vscode from "vscode";
import { expectationOf } from "../../core/config/expectation.ts";
import type { Field, FieldTable } from "../../core/config/field.ts";
import { configFields } from "../../core/config/fields.ts";
import { isJsonObject, type Json } from "../../core/json.ts";
import { runPaths } from "../../core/run/layout.ts";
import { parseJson } from "../../core/util/jsonl.ts";

interface Tunable {
  readonly path: readonly string[];
  readonly field: Field;
  readonly value: Json | undefined;
}

/** `key=value` for each setting that the user changed; empty when none. The trainer checks the values. */
export async function chooseSettings(runFolder: string): Promise<readonly string[]> {
  const text = await readFile(runPaths(runFolder).resolvedConfig, "utf8");
  const config = parseJson(text)?.value;
  const tunables = isJsonObject(config) ? tunableSettings(configFields, config, []) : [];
  const chosen = new Map<string, string>();
  for (;;) {
    const tunable = await pickSetting(tunables, chosen);
    if (tunable === undefined) return [];
    if (tunable === "done") return [...chosen].map(([key, value]) => `${key}=${value}`);
    const key = keyText(tunable.path);
    const value = await askValue(key, tunable, chosen.get(key));
    if (value !== undefined) chosen.set(key, value);
  }
}

/** Every tunable setting with its value in the run's configuration, environments one by one. */
function tunableSettings(
  fields: FieldTable,
  values: { readonly [key: string]: Json },
  place: readonly string[],
): readonly Tunable[] {
  return Object.entries(fields).flatMap(([name, field]): readonly Tunable[] => {
    const path = [...place, name];
    const value = values[name];
    const inner = field.type === "map" && field.of.type === "object" ? field.of.fields : null;
    if (inner !== null && value !== undefined && isJsonObject(value)) {
      return Object.entries(value).flatMap(([own, entry]) =>
        isJsonObject(entry) ? tunableSettings(inner, entry, [...path, own]) : [],
      );
    }
    const isSimple = !["map", "list", "object"].includes(field.type);
    return field.change === "tunable" && isSimple ? [{ path, field, value }] : [];
  });
}

async function pickSetting(
  tunables: readonly Tunable[],
  chosen: ReadonlyMap<string, string>,
): Promise<Tunable | "done" | undefined> {
  const items = tunables.map((tunable) => {
    const key = keyText(tunable.path);
    const next = chosen.get(key);
    const now = shown(tunable.value);
    return {
      label: key,
      description: next === undefined ? now : `${now} → ${next}`,
      detail: tunable.field.doc,
      tunable,
    };
  });
  const done = {
    label: vscode.l10n.t("$(check) Apply {0}", [...chosen.keys()].join(", ")),
    description: "",
    detail: vscode.l10n.t("From the next step on."),
    tunable: "done" as const,
  };
  const picked = await vscode.window.showQuickPick(chosen.size > 0 ? [done, ...items] : items, {
    title: vscode.l10n.t("Change settings from the next step on"),
    placeHolder: vscode.l10n.t("Which setting?"),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return picked?.tunable;
}

function askValue(
  key: string,
  { field, value }: Tunable,
  before: string | undefined,
): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: key,
    prompt: vscode.l10n.t(
      "{0} Now: {1}. Expected: {2}.",
      field.doc,
      shown(value),
      expectationOf(field),
    ),
    value: before ?? shown(value),
  });
}

function shown(value: Json | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}

/** Names with dots or slashes stand in quotes. */
function keyText(path: readonly string[]): string {
  return path.map((part) => (/^[\w-]+$/.test(part) ? part : JSON.stringify(part))).join(".");
}
