/** Ties what has to be disposed of to the extension's life; returns it. */
export type Register = <T extends { dispose(): unknown }>(disposable: T) => T;
