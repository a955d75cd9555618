import { byteLength } from "./text.ts";

/** Where a template went wrong: while it was read, while it ran, or because it wanted too much. */
export type Stage = "parse" | "execute" | "limit";

/** A template that cannot be rendered; the message is in the words of Go's. */
export class TemplateError extends Error {
  readonly stage: Stage;
  /** The template's name. */
  readonly template: string;
  readonly line: number | undefined;
  /** Bytes before the place on its line, as Go counts; known when the template ran. */
  readonly column: number | undefined;

  constructor(message: string, at: { stage: Stage; template: string; line?: number; column?: number }) {
    super(message);
    this.name = "TemplateError";
    this.stage = at.stage;
    this.template = at.template;
    this.line = at.line;
    this.column = at.column;
  }
}

/** A call that failed; the place is added by whoever called. */
export class CallError extends Error {}

/** Line and byte column of an offset in a text. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const newline = before.lastIndexOf("\n");
  return { line: before.split("\n").length, column: byteLength(before.slice(newline + 1)) };
}
