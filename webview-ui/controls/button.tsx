/** Buttons as every page has them. */

import type { ButtonHTMLAttributes } from "preact";
import { Icon, type IconName } from "./icon.tsx";

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly label: string;
  readonly icon?: IconName | undefined;
}

/** A button with a text, behind an icon where it has one. */
export function Button({ label, icon, ...attributes }: ButtonProps) {
  return (
    <button type="button" {...attributes}>
      {icon === undefined ? null : <Icon name={icon} />}
      {icon === undefined ? label : <span>{label}</span>}
    </button>
  );
}

interface IconButtonProps extends Omit<ButtonProps, "icon" | "title"> {
  readonly icon: IconName;
  /** The tooltip, where it says more than the label. */
  readonly hint?: string | undefined;
}

/** A button with an icon only; its label is for screen readers and the tooltip. */
export function IconButton({
  icon,
  label,
  hint = label,
  class: own,
  ...attributes
}: IconButtonProps) {
  const classes = ["quiet only-icon", own].filter(Boolean).join(" ");
  return (
    <button type="button" class={classes} aria-label={label} title={hint} {...attributes}>
      <Icon name={icon} />
    </button>
  );
}
