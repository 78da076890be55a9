/** A text of help, given the command that starts the program here, so that its examples can be copied. */
export type HelpText = (program: string) => string;
