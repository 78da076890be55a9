/** A secret store shared by several windows, with injectable faults. */

import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import { KeyStore, type SecretVault } from "../../../src/host/keys/keyStore.ts";

type Listener = (change: { readonly key: string }) => unknown;

export class FakeVault implements SecretVault {
  readonly entries = new Map<string, string>();
  readonly #listeners = new Set<Listener>();
  /** `throws`: every call fails; `forgets`: stored values are lost. */
  fault: "none" | "throws" | "forgets" = "none";

  async keys(): Promise<string[]> {
    this.#work();
    return [...this.entries.keys()];
  }

  async get(key: string): Promise<string | undefined> {
    this.#work();
    return this.entries.get(key);
  }

  async store(key: string, value: string): Promise<void> {
    this.#work(value);
    if (this.fault === "none") this.entries.set(key, value);
    this.#report(key);
  }

  async delete(key: string): Promise<void> {
    this.#work();
    this.entries.delete(key);
    this.#report(key);
  }

  onDidChange(listener: Listener): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  #work(value = ""): void {
    if (this.fault === "throws") throw new Error(`no keyring ${value}`);
  }

  #report(key: string): void {
    for (const listener of this.#listeners) listener({ key });
  }
}

export const ADDED = Date.UTC(2026, 0, 1);

/** A window's view of `vault`; `warnings` collects what it would log. */
export function openStore(vault: FakeVault): { store: KeyStore; warnings: string[] } {
  const warnings: string[] = [];
  const warn = (message: string): void => void warnings.push(message);
  // As in the editor, where the event is a bare function.
  const secrets: SecretVault = {
    keys: () => vault.keys(),
    get: (key) => vault.get(key),
    store: (key, value) => vault.store(key, value),
    delete: (key) => vault.delete(key),
    onDidChange: (listener) => vault.onDidChange(listener),
  };
  return {
    store: new KeyStore({ secrets, redactor: new Redactor(), now: () => ADDED, warn }),
    warnings,
  };
}
