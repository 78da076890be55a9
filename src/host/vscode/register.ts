/** Disposes of something together with the extension; returns it. */
export type Register = <T extends { dispose(): unknown }>(disposable: T) => T;
