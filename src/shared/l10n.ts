/** Texts for people in their language. As with VS Code's own `l10n`, the English message is the key of its translation. */

/** English messages with what stands for them. */
export type Translations = Readonly<Record<string, string>>;

let translations: Translations = {};

/** Holds for every text that is asked for from now on. */
export function setTranslations(messages: Translations): void {
  translations = messages;
}

/** To hand them on to another process. */
export function currentTranslations(): Translations {
  return translations;
}

/** `message` in the language of the person; `{0}` in it is the first of `values`. A message without a translation stays English. */
function t(message: string, ...values: readonly (string | number)[]): string {
  const translated = Object.hasOwn(translations, message) ? translations[message] : undefined;
  return (translated ?? message).replace(/\{(\d+)\}/g, (place, index: string) =>
    String(values[Number(index)] ?? place),
  );
}

export const l10n = { t } as const;
