/** Has the server test a key. Results and errors never contain its value. */

import type { KeyTestRequest, KeyTestResult } from "../../api/keys.ts";
import type { RequestOutcome } from "../../api/requests.ts";
import { errorMessage } from "../../core/errors.ts";
import { serviceVariables, type Values } from "../../core/secrets/serviceHosts.ts";
import { isServiceId, type KeyId } from "./keyNames.ts";
import type { StoredKey } from "./keyStore.ts";

export type KeyVerdict =
  | KeyTestResult
  | { readonly kind: "no-test" }
  /** The test gave no answer about the key. */
  | { readonly kind: "failed"; readonly message: string };

export interface KeyTestOptions {
  /** Variables that override those of the process: addresses from the settings. */
  readonly variables: () => Values;
  readonly testKey: (request: KeyTestRequest) => Promise<RequestOutcome<KeyTestResult>>;
}

export async function verdictOn(
  id: KeyId,
  { value, host }: Pick<StoredKey, "value" | "host">,
  { variables, testKey }: KeyTestOptions,
): Promise<KeyVerdict> {
  if (!isServiceId(id)) return { kind: "no-test" };
  const request = { service: id, value, host, variables: serviceVariables(variables()) };
  try {
    const outcome = await testKey(request);
    return outcome.ok ? outcome.value : { kind: "failed", message: outcome.error.message };
  } catch (error) {
    return { kind: "failed", message: errorMessage(error) };
  }
}
