/** The little of the editor that texts about keys are written with. */

export const fakeVscode = {
  env: { language: "en" },
  l10n: {
    t: (text: string, ...args: readonly string[]): string =>
      text.replace(/\{(\d+)\}/g, (whole, index) => args[Number(index)] ?? whole),
  },
};
