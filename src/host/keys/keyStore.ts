/** Stores keys in the editor's secret store, or in memory if that does not work. All access to their values goes through here. */

import type * as vscode from "vscode";
import * as z from "zod";
import { AppError, errorMessage } from "../../core/errors.ts";
import type { Redactor } from "../../core/secrets/redaction/redactor.ts";
import { Emitter, type Listening } from "../../core/util/emitter.ts";
import { parseJson } from "../../core/util/jsonl.ts";
import { isKeyId, type KeyId } from "./keyNames.ts";

/** The part of `vscode.SecretStorage` that is used here. */
export type SecretVault = Pick<
  vscode.SecretStorage,
  "keys" | "get" | "store" | "delete" | "onDidChange"
>;

const storedKey = z
  .object({
    value: z.string().min(1),
    /** The only host it may be sent to, with a port unless it is the default one; null = the official service's host. */
    host: z.string().nullable(),
    /** ISO 8601. */
    addedAt: z.string(),
  })
  .readonly();
export type StoredKey = z.infer<typeof storedKey>;

/** The displayable part of a key. */
export interface KeyFacts {
  readonly id: KeyId;
  readonly host: string | null;
  readonly addedAt: string;
  /** `session`: only in memory, until the window closes. */
  readonly place: "store" | "session";
}

export interface KeyStoreOptions {
  readonly secrets: SecretVault;
  /** Learns every value. */
  readonly redactor: Redactor;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Called with failures of the secret store, without values. */
  readonly warn: (message: string) => void;
}

/**
 * Caches nothing, so that changes by another window take effect immediately. {@link KeyStore.redactor} learns every value before it is
 * returned.
 */
export class KeyStore {
  readonly redactor: Redactor;
  readonly #options: KeyStoreOptions;
  readonly #session = new Map<KeyId, StoredKey>();
  readonly #didChange = new Emitter<void>();
  readonly #subscription: Listening;

  constructor(options: KeyStoreOptions) {
    this.#options = options;
    this.redactor = options.redactor;
    this.#subscription = options.secrets.onDidChange(({ key }) => this.#changed(key));
  }

  /** All keys, of services and others, without values; only those in memory if the secret store fails. */
  async list(): Promise<readonly KeyFacts[]> {
    const ids = new Set<KeyId>([...(await this.#ids()), ...this.#session.keys()]);
    const facts = await Promise.all([...ids].map((id) => this.facts(id)));
    return facts.filter((fact) => fact !== null);
  }

  /** The displayable part of one key; null if it is not set. */
  async facts(id: KeyId): Promise<KeyFacts | null> {
    const key = await this.get(id);
    if (key === null) return null;
    const place = this.#session.has(id) ? "session" : "store";
    return { id, host: key.host, addedAt: key.addedAt, place };
  }

  /** Null if it is not set, its entry is damaged, or the secret store fails. */
  async get(id: KeyId): Promise<StoredKey | null> {
    const inMemory = this.#session.get(id);
    if (inMemory !== undefined) return inMemory;
    try {
      const text = await this.#options.secrets.get(id);
      const key = storedKey.safeParse(parseJson(text ?? "")?.value).data ?? null;
      if (key !== null) this.redactor.learn(key.value);
      return key;
    } catch (error) {
      this.#warn(error);
      return null;
    }
  }

  /** @throws AppError `key-store-unavailable` if the secret store fails or does not persist; use {@link setForSession} then */
  async set(id: KeyId, value: string, host: string | null): Promise<void> {
    const entry = JSON.stringify(this.#entry(value, host));
    try {
      await this.#options.secrets.store(id, entry);
      if ((await this.#options.secrets.get(id)) !== entry)
        throw new Error("it does not keep values");
    } catch (error) {
      this.#warn(error);
      // Omit the cause, because its text is not under our control.
      throw new AppError("key-store-unavailable", "The secret store of the editor does not work.");
    }
    this.#session.delete(id);
    this.#didChange.fire();
  }

  /** Keeps a key in this window's memory until it closes. */
  setForSession(id: KeyId, value: string, host: string | null): void {
    this.#session.set(id, this.#entry(value, host));
    this.#didChange.fire();
  }

  /** @throws AppError `key-store-unavailable` when the secret store fails */
  async remove(id: KeyId): Promise<void> {
    this.#session.delete(id);
    try {
      await this.#options.secrets.delete(id);
    } catch (error) {
      this.#warn(error);
      throw new AppError("key-store-unavailable", "The secret store of the editor does not work.");
    } finally {
      this.#didChange.fire();
    }
  }

  /** Makes the redactor learn all stored values. */
  async learnAll(): Promise<void> {
    await Promise.all((await this.#ids()).map((id) => this.get(id)));
  }

  /** Called after every change, including changes in another window. */
  onDidChange(listener: () => void): Listening {
    return this.#didChange.event(listener);
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  #changed(key: string): void {
    if (!isKeyId(key)) return;
    // The stored value is newer, so drop the one in memory.
    this.#session.delete(key);
    void this.get(key).then(() => this.#didChange.fire());
  }

  #entry(value: string, host: string | null): StoredKey {
    this.redactor.learn(value);
    return { value, host, addedAt: new Date(this.#options.now()).toISOString() };
  }

  async #ids(): Promise<readonly KeyId[]> {
    try {
      return (await this.#options.secrets.keys()).filter(isKeyId);
    } catch (error) {
      this.#warn(error);
      return [];
    }
  }

  #warn(error: unknown): void {
    this.#options.warn(`secret store: ${this.redactor.redact(errorMessage(error))}`);
  }
}
