/** A configuration key that may wrap after its dots and slashes. */

export function KeyText({ text }: { readonly text: string }) {
  return text.split(/(?<=[./])/).flatMap((part, index) => (index === 0 ? [part] : [<wbr />, part]));
}
