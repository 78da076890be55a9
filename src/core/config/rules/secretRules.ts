/** Findings about secrets written in the file. Messages never contain their text. */

import { isScalar, isSeq, type Node } from "yaml";
import type { Shape } from "../fields/field.ts";
import { childShape, configShape, isSecret } from "../fields/fields.ts";
import { notifyFields } from "../fields/notifyFields.ts";
import { advice, type Finding } from "../source/finding.ts";
import type { KeyPath } from "../source/keyPath.ts";
import type { Remedy } from "../source/remedy.ts";
import { scalarText } from "../source/yamlNodes.ts";
import type { YamlSource } from "../source/yamlSource.ts";

/** Shorter text in a secret field is more likely a plain word such as a user name. */
const MIN_SECRET_LENGTH = 8;
/** Key prefixes of well-known services. */
const KEY_SHAPE =
  /\b(?:tml-|sk-(?:ant-|proj-)?|or-|hf_|gh[pousr]_|github_pat_|xox[abprs]-|AKIA|AIza|wandb_v1_|glpat-)[A-Za-z0-9_-]{12,}/;

/**
 * Webhook URLs that let anyone post: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks and
 * https://discord.com/developers/docs/resources/webhook
 */
const WEBHOOK =
  /\bhooks\.slack\.com\/(services|workflows|triggers)\/|\bdiscord(app)?\.com\/api\/(v\d+\/)?webhooks\//i;

/** A URL with a password, such as `http://user:password@host`. */
const PASSWORD = /:\/\/[^\s/?#@:]*:[^\s/?#@]+@/;

/** True for text that contains what looks like a service's key, a password in a URL, or a webhook. */
export function hasKeyShape(text: string): boolean {
  return KEY_SHAPE.test(text) || PASSWORD.test(text) || WEBHOOK.test(text);
}

/** One finding per value that is a secret by its field or its shape. */
export function secretFindings(source: YamlSource): readonly Finding[] {
  const found: Finding[] = [];
  visit(source, source.root, configShape, [], found);
  return found;
}

function visit(
  source: YamlSource,
  node: Node | null,
  shape: Shape | undefined,
  path: KeyPath,
  found: Finding[],
): void {
  const value = source.resolve(node);
  if (node !== value) return;
  if (isScalar(value)) {
    const text = scalarText(value.value, value.source);
    if (isLiteralSecret(value.value, text, shape)) found.push(literalSecret(path, shape));
    return;
  }
  if (isSeq<Node>(value)) {
    for (const [index, item] of value.items.entries()) {
      visit(source, item, childShape(shape, String(index)), [...path, String(index)], found);
    }
    return;
  }
  for (const entry of source.ownEntries(value)) {
    visit(source, entry.value, childShape(shape, entry.key), [...path, entry.key], found);
  }
}

function isLiteralSecret(value: unknown, text: string, shape: Shape | undefined): boolean {
  // The rule for `notify` refuses it with better advice.
  if (value === null || text === "" || shape === notifyFields.webhook) return false;
  return (isSecret(shape) && text.length >= MIN_SECRET_LENGTH) || hasKeyShape(text);
}

/** Only a warning in the program, because the same file works elsewhere; the editor shows an error. */
function literalSecret(path: KeyPath, shape: Shape | undefined): Finding {
  const key = path.at(-1) ?? "";
  const isInPlace = isSecret(shape);
  const message = isInPlace
    ? `This file contains a secret. Keep it outside the file and write null, so that \`${key}\` is looked up.`
    : "This looks like a secret key. Keep it outside this file.";
  const remedies: readonly Remedy[] = isInPlace
    ? [
        {
          kind: "command",
          command: "secretToStore",
          path,
          title: "Move to secret store and set null",
          isPreferred: true,
        },
        { kind: "command", command: "secretToEnvFile", path, title: "Move to .env and set null" },
      ]
    : [];
  return advice("TRL400", path, message, { remedies });
}
