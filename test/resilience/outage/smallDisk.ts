/** A separate small disk for a run folder, which can be filled up and freed. Requires Linux and permission to mount. */

import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

const CHUNK = Buffer.alloc(4096);

export class SmallDisk {
  readonly folder: string;
  readonly #filler: string;

  private constructor(folder: string) {
    this.folder = folder;
    this.#filler = join(folder, "filler");
  }

  /** @throws Error with what to do if it cannot be mounted */
  static mount(folder: string, megabytes: number): SmallDisk {
    mkdirSync(folder, { recursive: true });
    const size = `size=${megabytes}m`;
    const { error, stderr } = run("mount", ["-t", "tmpfs", "-o", size, "tinker-rl", folder]);
    if (error === null) return new SmallDisk(folder);
    throw new Error(
      `The full disk of the test is a small tmpfs, which cannot be mounted here (${stderr.trim() || error}). Run it as root, or leave that part out with -- --without disk.`,
    );
  }

  /** Fills the disk until no page is left. Returns the number of bytes written. */
  fill(): number {
    const file = openSync(this.#filler, "a");
    let bytes = 0;
    try {
      for (;;) bytes += writeSync(file, CHUNK);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
      return bytes;
    } finally {
      closeSync(file);
    }
  }

  free(): void {
    rmSync(this.#filler, { force: true });
  }

  unmount(): void {
    run("umount", [this.folder]);
  }
}

function run(program: string, args: readonly string[]) {
  const { status, error, stderr } = spawnSync(program, args, { encoding: "utf8" });
  const reason = error?.message ?? (status === 0 ? null : `exit code ${status}`);
  return { error: reason, stderr: stderr ?? "" };
}
