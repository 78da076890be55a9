/** The destinations to which the configuration sends notifications. */

import { dirname } from "node:path";
import type { NotifyConfig } from "../../core/config/fields/schema.ts";
import { AppError } from "../../core/errors.ts";
import type { NoticeMessage } from "../../core/notify/notice.ts";
import { formatOf } from "../../core/notify/webhookBody.ts";
import { sendToWebhook } from "../../core/notify/webhookSender.ts";
import { type KnownFolder, withoutPaths } from "../../core/notify/withoutPaths.ts";
import { type AllowedOrigin, requireAllowedRoute } from "../../core/secrets/hostBinding.ts";
import type { Redactor } from "../../core/secrets/redaction/redactor.ts";
import { systemClock } from "../../node/clock.ts";
import { type ClosableHttpClient, createHttpClient } from "../../node/http.ts";
import { systemRandom } from "../../node/random.ts";
import { USER_AGENT } from "../../shared/version.ts";
import type { LoadedConfig } from "../config/configFiles.ts";
import type { LocalPrograms } from "../services/localServices.ts";
import type { Variables } from "../services/variables.ts";
import { runNoticeCommand } from "./noticeCommand.ts";

export interface NotifyPlace {
  /** Name used in warnings. */
  readonly name: string;
  readonly on: NotifyConfig["on"];
  /** @throws AppError `notification-failed`; the reason of `signal` */
  readonly send: (message: NoticeMessage, signal: AbortSignal) => Promise<void>;
}

export interface NotifyPlaces {
  readonly places: readonly NotifyPlace[];
  close(): Promise<void>;
}

export interface NotifyPlacesOptions {
  readonly programs: LocalPrograms;
  readonly redactor: Redactor;
  readonly allowedOrigins?: readonly AllowedOrigin[];
  readonly loaded: Pick<LoadedConfig, "config" | "path">;
  readonly variables: Variables;
  /** Null until the run has one. */
  readonly runFolder: () => string | null;
  /** The user's home folder, which is kept from webhooks. */
  readonly home: string;
}

/** Shorter parts of an address are ordinary words, not secrets. */
const MIN_KEY_LENGTH = 16;

/** The redactor learns the addresses. @throws AppError `key-missing`, `key-not-encrypted`, `config-address-invalid` */
export function openNotifyPlaces(options: NotifyPlacesOptions): NotifyPlaces {
  const http = createHttpClient();
  const { notify } = options.loaded.config;
  const places = notify.map((entry, index) => placeOf(options, http, entry, index));
  return { places, close: () => http.close() };
}

function placeOf(
  options: NotifyPlacesOptions,
  http: ClosableHttpClient,
  { command, webhook, webhook_variable, format, on }: NotifyConfig,
  index: number,
): NotifyPlace {
  const { loaded, programs, redactor, runFolder } = options;
  const place = `notify.${index}`;
  const folder = dirname(loaded.path);
  if (command !== null) {
    const clean = (text: string): string => redactor.redact(text);
    const running = { command, folder, programs, runFolder, clean };
    const send: NotifyPlace["send"] = (message, signal) =>
      runNoticeCommand(running, message, signal);
    return { name: `The command of ${place}`, on, send };
  }
  const address = webhook ?? addressIn(options, webhook_variable ?? "", place);
  const name = webhook === null ? `The webhook in ${webhook_variable}` : `The webhook of ${place}`;
  const sender = {
    http,
    clock: systemClock,
    random: systemRandom,
    address,
    format: format ?? formatOf(address),
    userAgent: USER_AGENT,
  };
  const send: NotifyPlace["send"] = (message, signal) =>
    sendToWebhook(sender, withoutFolders(message, options), signal);
  return { name, on, send };
}

/** The address stored in a variable, which is a secret as a whole and in its parts. */
function addressIn(
  { variables, redactor, allowedOrigins = [] }: NotifyPlacesOptions,
  name: string,
  place: string,
): string {
  const configPath = `${place}.webhook_variable`;
  const found = variables(name);
  if (found === null) {
    throw new AppError(
      "key-missing",
      `${configPath} looks for the address of a webhook in ${name}, which is not set. Set it in the environment or in .env next to the configuration.`,
      { configPath, data: { name } },
    );
  }
  const { value: url, origin } = found;
  // The address is also the key, so its own host is always allowed to receive it.
  const address = { name, value: url, origin };
  const keys = [address];
  redactor.learn(url);
  requireAllowedRoute({ keys, url, address, officialUrl: url, allowedOrigins });
  const { href, pathname, search, searchParams } = new URL(url);
  const parts = [href, `${pathname}${search}`, ...pathname.split("/"), ...searchParams.values()];
  for (const part of parts) if (part.length >= MIN_KEY_LENGTH) redactor.learn(part);
  return url;
}

/** Removes absolute paths, which webhooks must not see. */
function withoutFolders(message: NoticeMessage, options: NotifyPlacesOptions): NoticeMessage {
  const { notice } = message;
  const run = options.runFolder();
  const folders: readonly KnownFolder[] = [
    ...(run === null ? [] : [[run, "the run folder"] as const]),
    [dirname(options.loaded.path), "."],
    [options.home, "~"],
  ];
  const detail = withoutPaths(notice.detail, folders);
  return { ...message, notice: { ...notice, detail } };
}
