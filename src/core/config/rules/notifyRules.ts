/** Rules about `notify`: each entry has exactly one destination, and no address in the file contains a key. */

import type { Config, NotifyConfig } from "../fields/schema.ts";
import { advice, conflict, type Finding } from "../source/finding.ts";
import type { KeyPath } from "../source/keyPath.ts";
import { removal } from "../source/remedy.ts";
import { hasKeyShape } from "./secretRules.ts";

/** Names of parameters that carry a key. */
const KEY_PARAMETER = /(key|token|secret|sig(nature)?|auth|password|code)$/i;
/** Long, mixed letters and digits, no words: what keys in URL paths look like, such as Mattermost's. */
const RANDOM_PART = /^(?=.*[A-Za-z])(?=.*\d)[A-Za-z0-9]{20,}$/;
/** RFC 9562, section 4. */
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** The program's own keys, which are not webhook addresses. */
const OWN_KEY = /_API_KEY$|^HF_TOKEN$/;

export function notifyFindings({ notify }: Pick<Config, "notify">): readonly Finding[] {
  return notify.flatMap((entry, index) => {
    const path = ["notify", String(index)];
    return [
      ...placeFindings(entry, path),
      ...addressFindings(entry, path),
      ...formatFindings(entry, path),
    ];
  });
}

function placeFindings(entry: NotifyConfig, path: KeyPath): readonly Finding[] {
  const { webhook, webhook_variable, command } = entry;
  const places = [webhook, webhook_variable, command].filter((place) => place !== null);
  if (places.length === 1) return [];
  const message =
    "A notification has exactly one of `webhook_variable`, `webhook` and `command`. Write an entry for each place.";
  return [conflict("TRL230", path, message)];
}

/** Messages never show the address, which may contain a key. */
function addressFindings(
  { webhook, webhook_variable }: NotifyConfig,
  path: KeyPath,
): readonly Finding[] {
  if (webhook_variable !== null && OWN_KEY.test(webhook_variable)) {
    const message = `\`${webhook_variable}\` holds a key, not the address of a webhook. Name another variable, for example SLACK_WEBHOOK.`;
    return [conflict("TRL230", [...path, "webhook_variable"], message)];
  }
  if (webhook === null) return [];
  const place = [...path, "webhook"];
  if (!URL.canParse(webhook)) {
    const message =
      "This is not a valid address. Write http://HOST:PORT/PATH or https://HOST/PATH.";
    return [conflict("TRL120", place, message)];
  }
  if (!holdsKey(webhook)) return [];
  const message =
    "This address contains a key, which must not be in a file. Write a line such as SLACK_WEBHOOK=ADDRESS into .env next to this file, and `webhook_variable: SLACK_WEBHOOK` here instead of `webhook`. If others could read this file, make a new webhook.";
  return [conflict("TRL230", place, message)];
}

/** True for an address that lets anyone who has it send messages. */
function holdsKey(address: string): boolean {
  const { pathname, searchParams, username, password } = new URL(address);
  if (username + password !== "" || hasKeyShape(address)) return true;
  const parts = pathname.split("/");
  return (
    [...parts, ...searchParams.values()].some(
      (part) => RANDOM_PART.test(part) || UUID.test(part),
    ) || [...searchParams.keys()].some((name) => KEY_PARAMETER.test(name))
  );
}

function formatFindings({ command, format }: NotifyConfig, path: KeyPath): readonly Finding[] {
  if (command === null || format === null) return [];
  const message = "`format` is for a webhook. A command always reads JSON.";
  const place = [...path, "format"];
  const remedies = [removal(place)];
  return [advice("TRL230", place, message, { remedies })];
}
