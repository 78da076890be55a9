/** The signed addresses of exported files, renewed before they expire. */

import { AppError } from "../errors.ts";
import type { Clock } from "../ports.ts";
import type { ExportedFiles } from "../tinker/checkpoints.ts";
import type { SignFiles } from "../tinker/exportWeights.ts";

export interface AddressOptions {
  readonly clock: Clock;
  readonly sign: SignFiles;
  /** Origin of the service; addresses elsewhere must be https. */
  readonly serviceOrigin: string;
}

const RENEW_BEFORE_MS = 5 * 60_000;

export class SignedAddresses {
  readonly #options: AddressOptions;
  #signed: ExportedFiles | null = null;

  constructor(options: AddressOptions) {
    this.#options = options;
  }

  async current(): Promise<ExportedFiles> {
    const { clock, sign } = this.#options;
    const expiresAtMs = this.#signed?.expiresAtMs ?? Number.POSITIVE_INFINITY;
    if (this.#signed === null || expiresAtMs - clock.now() < RENEW_BEFORE_MS) {
      this.#signed = await sign();
    }
    return this.#signed;
  }

  /** @throws AppError `download-unsafe` */
  async of(name: string): Promise<string> {
    const text = (await this.current()).urls.get(name) ?? "";
    const url = URL.canParse(text) ? new URL(text) : null;
    const isSafe = url?.protocol === "https:" || url?.origin === this.#options.serviceOrigin;
    if (url !== null && isSafe) return url.href;
    const where =
      url === null ? "an address that cannot be read" : `${url.origin}, without encryption`;
    throw new AppError(
      "download-unsafe",
      `${name} was not downloaded: the service names ${where}. Check the address of the service.`,
    );
  }

  /** Drops the current addresses, because they were refused. */
  forget(): void {
    this.#signed = null;
  }
}
