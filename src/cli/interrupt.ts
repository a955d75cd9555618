/** What the system sends to a program that shall end, and the exit code that shells give such a program. */
const codes = { SIGINT: 130, SIGTERM: 143 } as const;

/** The signals that end a command. */
export const endings = Object.keys(codes) as readonly (keyof typeof codes)[]; // the keys of the table above

/** Why a command was told to stop. */
export class Interrupted extends Error {
  override readonly name = "AbortError";
  readonly exitCode: number;

  constructor(signal: keyof typeof codes) {
    super(`ended by ${signal}`);
    this.exitCode = codes[signal];
  }
}

/** The exit code of a command that was told to stop. */
export function interruptCode({ reason }: AbortSignal): number {
  return reason instanceof Interrupted ? reason.exitCode : codes.SIGINT;
}
