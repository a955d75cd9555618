import { createInterface } from "node:readline/promises";
import { AppError } from "../../errors.ts";
import { given, type Input } from "../command.ts";
import type { Io } from "../io.ts";

/** Refuses at once what would have to be asked where nobody can answer. */
export function checkAsking(input: Input, io: Io): void {
  if (given(input, "yes") || io.terminal) return;
  throw new AppError("USAGE", "nobody can be asked here: --yes does it without asking", { retry: false });
}

/** Whether the person agrees; `--yes` says so. */
export async function agreed(question: string, input: Input, io: Io, signal: AbortSignal): Promise<boolean> {
  if (given(input, "yes")) return true;
  checkAsking(input, io);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} (y/N) `, { signal })).trim());
  } finally {
    lines.close();
  }
}
