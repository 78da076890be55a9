/** Checks the format of an entered key before it is sent anywhere. */

import type { ServiceId } from "../../core/services.ts";
import { escapePattern } from "../../core/util/escapePattern.ts";
import { isServiceId, type KeyId, SERVICE_IDS, variableOf } from "./keyNames.ts";

/** Reasons why a text cannot be a key. */
export type FormatFault =
  | "empty"
  | "line-break"
  /** Spaces, or characters that are invalid in headers. */
  | "characters"
  | "quoted"
  /** `NAME=value` instead of just the value. */
  | "assignment"
  | "address"
  | "not-tinker";

/** Unusual, but possibly correct. */
export type FormatHint =
  | { readonly kind: "beginning"; readonly expected: string }
  | { readonly kind: "belongs-elsewhere"; readonly service: ServiceId }
  | { readonly kind: "short"; readonly expectedLength: number };

export type FormatVerdict =
  | { readonly kind: "fits"; readonly value: string; readonly hint: FormatHint | null }
  | { readonly kind: "refused"; readonly fault: FormatFault };

const PRINTABLE = /^[\x21-\x7e]+$/;
const TINKER_FORM = /^(tml-|eyJ)/;
const JSON_WEB_TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const WANDB_MIN_LENGTH = 40;

/** Key prefixes of services, where they identify the service. */
const BEGINNINGS: Readonly<Record<ServiceId, readonly string[]>> = {
  tinker: ["tml-"],
  openreward: ["or_", "or-"],
  wandb: [],
  openai: ["sk-"],
  anthropic: ["sk-ant-"],
};

/**
 * Trims and checks an entered or imported key. `host` is where it will be sent, null for the official service; other servers may issue keys
 * in any format.
 */
export function judgeFormat(id: KeyId, typed: string, host: string | null): FormatVerdict {
  const value = typed.trim();
  const fault = faultOf(id, value, host);
  if (fault !== null) return { kind: "refused", fault };
  const hint = isServiceId(id) && host === null ? hintAbout(id, value) : null;
  return { kind: "fits", value, hint };
}

function faultOf(id: KeyId, value: string, host: string | null): FormatFault | null {
  if (value === "") return "empty";
  if (/[\r\n\u2028\u2029]/.test(value)) return "line-break";
  if (new RegExp(`^(export\\s+)?${escapePattern(variableOf(id))}\\s*=`, "i").test(value)) {
    return "assignment";
  }
  // Other variables may contain arbitrary text.
  if (!isServiceId(id)) return null;
  if (/^(["'`]).*\1$/.test(value)) return "quoted";
  if (/^https?:\/\//i.test(value)) return "address";
  if (!PRINTABLE.test(value)) return "characters";
  // The official client also rejects it before any request: docs/protocols/tinker.md#keys-and-tokens.
  return id === "tinker" && host === null && !TINKER_FORM.test(value) ? "not-tinker" : null;
}

function hintAbout(id: ServiceId, value: string): FormatHint | null {
  const owner = ownerOf(value);
  if (owner !== null && owner !== id) return { kind: "belongs-elsewhere", service: owner };
  if (id === "wandb") return wandbHint(value);
  const [expected] = BEGINNINGS[id];
  const isTinkerToken = id === "tinker";
  if (expected === undefined || owner === id || isTinkerToken) return null;
  return { kind: "beginning", expected };
}

/** The service whose key prefix matches, longest prefix first. */
function ownerOf(value: string): ServiceId | null {
  const owners = SERVICE_IDS.flatMap((id) =>
    BEGINNINGS[id].map((beginning) => ({ id, beginning })),
  ).toSorted((a, b) => b.beginning.length - a.beginning.length);
  return owners.find(({ beginning }) => value.startsWith(beginning))?.id ?? null;
}

/** Self-hosted servers prepend a name and a dash: `docs/protocols/wandb.md#login`. */
function wandbHint(value: string): FormatHint | null {
  if (JSON_WEB_TOKEN.test(value)) return null;
  const key = value.slice(value.indexOf("-") + 1);
  return key.length < WANDB_MIN_LENGTH ? { kind: "short", expectedLength: WANDB_MIN_LENGTH } : null;
}
