/** Texts about keys. They never include a value. */

import * as vscode from "vscode";
import { SERVICES } from "../../core/services.ts";
import { plainLabel } from "../../core/util/plainText.ts";
import type { FormatFault, FormatHint } from "./keyFormat.ts";
import { isServiceId, type KeyId, variableOf } from "./keyNames.ts";
import type { KeyVerdict } from "./keyTest.ts";

/** A key's display name, such as "Tinker (TINKER_API_KEY)". */
export function keyLabel(id: KeyId): string {
  const name = plainLabel(variableOf(id));
  return isServiceId(id) ? `${SERVICES[id].label} (${name})` : name;
}

export function faultText(fault: FormatFault, id: KeyId): string {
  const texts: Readonly<Record<FormatFault, string>> = {
    empty: vscode.l10n.t("Paste the key, or press Escape to keep the current one."),
    "line-break": vscode.l10n.t("A key has no line breaks. Copy it again."),
    characters: vscode.l10n.t(
      "A key has no spaces, and only plain letters, digits and signs. Copy it again.",
    ),
    quoted: vscode.l10n.t("Remove the quotation marks."),
    assignment: vscode.l10n.t("Paste only what comes after {0}=.", variableOf(id)),
    address: vscode.l10n.t("This is an address, not a key."),
    "not-tinker": vscode.l10n.t("Keys of Tinker begin with tml-."),
  };
  return texts[fault];
}

export function hintText(hint: FormatHint): string {
  switch (hint.kind) {
    case "beginning":
      return vscode.l10n.t("Keys of this service usually begin with {0}.", hint.expected);
    case "belongs-elsewhere":
      return vscode.l10n.t("This looks like a key of {0}.", SERVICES[hint.service].label);
    case "short":
      return vscode.l10n.t(
        "Keys of this service usually have {0} characters or more.",
        String(hint.expectedLength),
      );
    default:
      return hint satisfies never;
  }
}

/** The result of a test, as a sentence. */
export function testText(result: KeyVerdict): string {
  switch (result.kind) {
    case "works":
      return vscode.l10n.t("It works at {0}.", result.host);
    case "refused":
      return result.status === null
        ? vscode.l10n.t("{0} refused it.", result.host)
        : vscode.l10n.t("{0} refused it ({1}).", result.host, String(result.status));
    case "no-credit":
      return vscode.l10n.t(
        "{0} accepts it, but the account has no credit left (402). Add credit to use it.",
        result.host,
      );
    case "unreachable":
      return result.reason === null
        ? vscode.l10n.t("{0} did not answer within 10 seconds.", result.host)
        : vscode.l10n.t(
            "{0} could not be reached ({1}). Check the network.",
            result.host,
            result.reason,
          );
    case "unclear":
      return vscode.l10n.t(
        "{0} answered with {1}, which does not say whether the key works.",
        result.host,
        String(result.status),
      );
    case "no-test":
      return vscode.l10n.t("This key cannot be tested.");
    case "failed":
      return vscode.l10n.t("It was not tested: {0}", plainLabel(result.message));
    case "no-address":
      return vscode.l10n.t("It is for {0}, and no setting points there.", result.host);
    case "not-encrypted":
      return vscode.l10n.t("It was not sent, because {0} does not use https.", result.host);
    default:
      return result satisfies never;
  }
}

/** A relative time in the editor's language, such as "3 days ago". */
export function ageText(addedAt: string, nowMs: number): string {
  const days = Math.round((Date.parse(addedAt) - nowMs) / 86_400_000);
  if (!Number.isFinite(days)) return "";
  return new Intl.RelativeTimeFormat(vscode.env.language, { numeric: "auto" }).format(days, "day");
}
