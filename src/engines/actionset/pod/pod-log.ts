import { lines } from "../../../../packages/wire/index.ts";
import { type Client, type Clock, isNotFound, sleep } from "../../../kube/index.ts";
import { type PodObject, resources } from "../core-objects.ts";
import { printedLines } from "../phase-output.ts";

const pauseMs = 1_000;

/**
 * Every line of a container's log, each once, until the container has ended.
 *
 * The kubelet ends streams after hours and lines break: it is asked again from the last time seen, and what it repeats is left out.
 */
export async function followLog(
  deps: { readonly client: Pick<Client, "logs">; readonly clock: Clock },
  where: { readonly pod: PodObject; readonly container: string; readonly ended: () => boolean },
  take: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const { name, namespace = "" } = where.pod.metadata;
  const seen = new Seen(take);
  for (;;) {
    signal.throwIfAborted();
    // Asked before reading: whatever the container printed until its end is in this last reading.
    const wasEnded = where.ended();
    try {
      const query = {
        namespace,
        container: where.container,
        follow: true,
        timestamps: true,
        sinceTime: seen.since,
      };
      seen.again();
      const chunks = deps.client.logs(resources.pods, name, query, signal);
      for await (const line of lines(chunks, printedLines)) seen.line(line);
      if (wasEnded || where.ended()) return;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof StopReading) throw error.cause;
      // The pod is gone with its log: what was read is all there is, and the pod's end tells the rest.
      if (isNotFound(error)) return;
      if (wasEnded && seen.failures > 5) throw error;
      seen.failures += 1;
    }
    await sleep(deps.clock, pauseMs, signal);
  }
}

/** A line that fails the phase, told apart from a line that broke. */
class StopReading extends Error {}

class Seen {
  readonly #take: (line: string) => void;
  #last = "";
  /** Lines of the last moment, which the next reading repeats. */
  #atLast = 0;
  #toSkip = 0;
  failures = 0;

  constructor(take: (line: string) => void) {
    this.#take = take;
  }

  /** The API knows whole seconds only: it repeats up to a second. */
  get since(): string | undefined {
    return this.#last === "" ? undefined : this.#last.replace(/\.\d+/, "");
  }

  again(): void {
    this.#toSkip = this.#atLast;
  }

  line(raw: string): void {
    const [, time = "", text = raw] = /^(\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)) ?(.*)$/s.exec(raw) ?? [];
    // Times without trailing zeros do not sort as texts.
    const order = compare(time, this.#last);
    if (time !== "" && order < 0) return;
    if (order === 0 && this.#toSkip > 0) {
      this.#toSkip -= 1;
      return;
    }
    this.#atLast = order === 0 ? this.#atLast + 1 : 1;
    if (time !== "") this.#last = time;
    try {
      this.#take(text);
    } catch (cause) {
      throw new StopReading("a line fails the phase", { cause });
    }
  }
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  const [x, y] = [moment(a), moment(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}

/** Seconds and nanoseconds as one text that sorts. */
function moment(time: string): string {
  const [, seconds = "", fraction = ""] = /^([^.Z]+)(?:\.(\d+))?/.exec(time) ?? [];
  return `${seconds}.${fraction.padEnd(9, "0")}`;
}
