/** A message of this program; text between backticks, such as a configuration key, is set as code. */

import { UntrustedText } from "./untrustedText.tsx";

export function CodeText({ text }: { readonly text: string }) {
  return (
    <>
      {text.split(/`([^`]+)`/).map((part, index) =>
        index % 2 === 0 ? (
          <UntrustedText key={index} text={part} />
        ) : (
          <code key={index}>
            <UntrustedText text={part} />
          </code>
        ),
      )}
    </>
  );
}
