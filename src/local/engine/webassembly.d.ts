// The part of the WebAssembly API in use; the standard library only declares it together with the DOM.

declare namespace WebAssembly {
  class Memory {
    constructor(descriptor: { readonly initial: number; readonly maximum: number });
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  interface Module {
    readonly compiled: unique symbol;
  }
  interface Instance {
    readonly exports: Readonly<Record<string, unknown>>;
  }
  function compile(bytes: Uint8Array): Promise<Module>;
  function instantiate(
    module: Module,
    imports: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  ): Promise<Instance>;
}
