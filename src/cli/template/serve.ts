import { once } from "node:events";
import { type MissingKey, Renderer, TemplateError } from "../../../packages/template/index.ts";
import { lines } from "../../../packages/wire/index.ts";
import { messageOf } from "../../errors.ts";
import type { Io } from "../io.ts";
import { templatePorts } from "./ports.ts";

/** A longer line is answered with an error and dropped. */
const maxLineBytes = 64 * 1024 * 1024;
const missingKeys: readonly string[] = ["default", "zero", "error", "invalid"];

/** `headway template serve` on the process's own standard input and output. */
export async function serveStdin(io: Io, signal: AbortSignal): Promise<void> {
  const drained = async () => {
    if (process.stdout.writableNeedDrain) await once(process.stdout, "drain", { signal });
  };
  await serve(process.stdin, (line) => io.out(line), signal, drained);
}

/** Answers each line of the input; one that cannot be understood gets an error of its own. */
export async function serve(
  input: AsyncIterable<Uint8Array>,
  write: (line: string) => void,
  signal: AbortSignal,
  drained: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const renderer = new Renderer({ ports: templatePorts() });
  // One byte more than a line may have: what is cut there is told from what just fits.
  for await (const line of lines(input, { limitBytes: maxLineBytes + 1 })) {
    if (signal.aborted) return;
    if (line.trim() === "") continue;
    const answer = Buffer.byteLength(line) > maxLineBytes ? tooLong() : answerLine(line, renderer);
    write(`${JSON.stringify(answer)}\n`);
    await drained();
  }
}

function tooLong(): { id: null; error: string } {
  return { id: null, error: `line longer than ${maxLineBytes} bytes` };
}

type Answer = { readonly id: unknown } & ({ readonly output: string } | { readonly error: string });

function answerLine(line: string, renderer: Renderer): Answer {
  let id: unknown = null;
  try {
    const request: unknown = JSON.parse(line);
    if (typeof request !== "object" || request === null)
      return { id, error: "a line must hold a JSON object" };
    id = "id" in request ? request.id : null;
    const template = "template" in request ? request.template : undefined;
    const wanted = "missingkey" in request && request.missingkey ? request.missingkey : "default";
    if (typeof template !== "string") return { id, error: '"template" must be a text' };
    if (typeof wanted !== "string" || !missingKeys.includes(wanted)) {
      return { id, error: `unrecognized option: missingkey=${JSON.stringify(wanted)}` };
    }
    const missingKey = (wanted === "invalid" ? "default" : wanted) as MissingKey; // just checked
    return {
      id,
      output: renderer.render(template, "data" in request ? request.data : undefined, missingKey),
    };
  } catch (error) {
    if (error instanceof TemplateError) return { id, error: error.message };
    if (error instanceof SyntaxError) return { id, error: `not JSON: ${error.message}` };
    // Whoever asks next must still be answered, even when this one met a fault of ours.
    return { id, error: `internal: ${messageOf(error)}` };
  }
}
