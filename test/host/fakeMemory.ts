/** The editor's persistent state across windows, in memory. */

import type { Memento } from "../../src/host/vscode/memento.ts";

export class FakeMemory implements Memento {
  readonly values = new Map<string, unknown>();

  get(key: string): unknown {
    return this.values.get(key);
  }

  async update(key: string, value: unknown): Promise<void> {
    // As after a restart.
    this.values.set(key, JSON.parse(JSON.stringify(value)));
  }
}
