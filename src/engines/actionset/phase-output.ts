import type { LineOptions } from "../../../packages/wire/index.ts";
import { AppError } from "../../errors.ts";
import type { Work } from "../../kinds/index.ts";
import type { Mask } from "../../kube/index.ts";
import { type MoverLine, readMovedLine, readMoverLine } from "../../movers/index.ts";
import { ofPercent } from "./phase-progress.ts";
import type { Output } from "./status.ts";

const outputMark = "###Phase-output###:";
const progressMarks = ["###progress###:", "###Phase-progress###:"];
/** What all outputs of one phase may be long, so that the ActionSet stays below what a cluster stores. */
const limitChars = 512 * 1024;
/** Lines kept for the message of a failure. */
const tailLines = 10;
const tailChars = 1_000;

/** No output of a phase may be longer than what an ActionSet can hold; commands draw over their own line with \r. */
export const printedLines: LineOptions = { limitBytes: 4 * 1024 * 1024, returns: "end" };

/** What a command printed of interest: outputs, progress and, should it fail, its last words. */
export class PhaseOutput {
  readonly #onProgress: (news: Work) => void;
  readonly #mask: Pick<Mask, "text">;
  readonly #output = new Map<string, string>();
  #chars = 0;
  #tail: string[] = [];

  /** Outputs stay as they were printed, since later phases read them; everything for people is masked, and before it is cut. */
  constructor(onProgress: (news: Work) => void, mask: Pick<Mask, "text">) {
    this.#onProgress = onProgress;
    this.#mask = mask;
  }

  /** Takes one line; throws when a line that is meant for us cannot be understood. */
  take(line: string): void {
    const at = line.indexOf(outputMark);
    if (at >= 0) this.#put(line.slice(at + outputMark.length));
    const said = at < 0 ? line : line.slice(0, at);
    if (said.trim() === "") return;
    const news = readProgress(said, this.#mask);
    if (news) this.#onProgress(news);
    else this.#keep(said);
  }

  get output(): Output {
    return Object.fromEntries(this.#output);
  }

  /** The last lines that were neither outputs nor progress. */
  get lastWords(): string {
    return this.#mask.text(this.#tail.join("\n"));
  }

  #put(json: string): void {
    const { key, value } = readOutput(json, this.#mask);
    this.#chars += key.length + value.length - (this.#output.get(key)?.length ?? 0);
    if (this.#chars > limitChars) {
      throw new AppError(
        "ACTION_OUTPUT",
        `output "${this.#mask.text(key)}" is too long: an ActionSet holds at most ${limitChars / 1024} KiB of a phase, large data belong into the store`,
        { retry: false },
      );
    }
    this.#output.set(key, value);
  }

  #keep(line: string): void {
    // Whatever is cut is masked first: half a secret would not be found. The others wait until somebody reads them.
    const shown = line.length > tailChars ? this.#mask.text(line) : line;
    this.#tail.push(shown.slice(0, tailChars).trimEnd());
    if (this.#tail.length > tailLines) this.#tail.shift();
  }
}

/** What a line says about progress: a line of ours, or one of a mover. */
export function readProgress(line: string, mask: Pick<Mask, "text">): Work | undefined {
  for (const mark of progressMarks) {
    const at = line.indexOf(mark);
    if (at >= 0) return readOwnProgress(line.slice(at + mark.length), mask);
  }
  const said = readMovedLine(line) ?? readMoverLine(line);
  return said && workOf(said);
}

function workOf(said: MoverLine): Work {
  const { progress, etaSeconds } = said;
  const { done, total } = progress;
  return {
    progress,
    ...(said.direction === "up"
      ? { uploadedBytes: said.sentBytes ?? done, ...(total !== undefined && { uploadTotalBytes: total }) }
      : { downloadedBytes: done, ...(total !== undefined && { downloadTotalBytes: total }) }),
    etaSeconds,
  };
}

/** `{"percent": 40, "sizeUploadedB": 12, …}`, with the names of the status; what is odd in it says nothing. */
function readOwnProgress(json: string, mask: Pick<Mask, "text">): Work | undefined {
  let said: unknown;
  try {
    said = JSON.parse(json);
  } catch {
    return undefined; // a script that prints nonsense loses its progress, not its work
  }
  if (typeof said !== "object" || said === null) return undefined;
  const fields = said as Readonly<Record<string, unknown>>;
  const number = (name: string) => {
    const value = typeof fields[name] === "string" ? Number(fields[name]) : fields[name];
    return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
  };
  const percent = number("percent") ?? number("progressPercent");
  const news = {
    progress: percent === undefined ? undefined : ofPercent(percent),
    uploadedBytes: number("sizeUploadedB"),
    uploadTotalBytes: number("estimatedUploadSizeB"),
    downloadedBytes: number("sizeDownloadedB"),
    downloadTotalBytes: number("estimatedDownloadSizeB"),
    step: typeof fields["message"] === "string" ? mask.text(fields["message"]).slice(0, 200) : undefined,
  };
  const known = Object.entries(news).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(known), etaSeconds: number("estimatedTimeSeconds") };
}

function readOutput(
  json: string,
  mask: Pick<Mask, "text">,
): { readonly key: string; readonly value: string } {
  let said: unknown;
  try {
    said = JSON.parse(json);
  } catch (cause) {
    throw odd(mask.text(json), cause);
  }
  const { key, value } = (said ?? {}) as { key?: unknown; value?: unknown }; // checked here
  if (typeof key !== "string" || key === "" || typeof value !== "string")
    throw odd(mask.text(json), undefined);
  return { key, value };
}

function odd(json: string, cause: unknown): AppError {
  const shown = JSON.stringify(json.trim().slice(0, 100));
  return new AppError("ACTION_OUTPUT", `the output line is no JSON with texts "key" and "value": ${shown}`, {
    cause,
    retry: false,
  });
}
