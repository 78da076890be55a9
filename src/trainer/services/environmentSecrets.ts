/** Secrets of a configuration: which ones to redact, and which ones each environment gets. */

import type { Config } from "../../core/config/fields/schema.ts";
import { writtenSecrets } from "../../core/config/secretValues.ts";
import type { Redactor } from "../../core/secrets/redaction/redactor.ts";
import { resolveSecrets } from "../../core/secrets/resolve.ts";
import { proxyPasswords } from "../../node/proxy.ts";
import type { Variables } from "./variables.ts";

/** Teaches the redactor the secrets written in the configuration and the passwords of proxies. */
export function learnSecrets(config: Config, redactor: Redactor): void {
  for (const secret of writtenSecrets(config)) redactor.learn(secret);
  for (const secret of proxyPasswords(process.env)) redactor.learn(secret);
}

/** Secrets for sessions of the environment `name`. @throws AppError `secret-*` */
export function environmentSecrets(
  config: Config,
  name: string,
  { variables, redactor }: { readonly variables: Variables; readonly redactor: Redactor },
): Promise<Readonly<Record<string, string>>> {
  return resolveSecrets({
    environment: name,
    environmentSecrets: config.environments[name]?.secrets ?? null,
    globalSecrets: config.secrets,
    lookUp: async (key) => variables(key)?.value ?? null,
    redactor,
  });
}
