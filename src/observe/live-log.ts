import { randomUUID } from "node:crypto";
import {
  type DownloadRequest,
  followAnnotation,
  kinds,
  type LiveLines,
  type LogPosition,
  liveLogAnnotation,
  readLiveLines,
} from "../api/index.ts";
import { isPassing, resourceOf, sleep, systemClock } from "../kube/index.ts";
import type { FilePlace } from "./stored-file.ts";

const requests = resourceOf(kinds.DownloadRequest);
/** Between a watch that ended and the next request. */
const pauseMs = 1_000;

/** What is told to whoever follows a log. */
export interface LogFollower {
  readonly line: (line: string) => void;
  /** Lines that came too quickly: the stored log has them. */
  readonly missed: (count: number) => void;
  /** What comes now is the log of another run: the work was begun anew. */
  readonly anew: () => void;
}

/**
 * Tells the lines of a log that is still written, as they come, until no more are to come or whoever runs the work tells none (upstream's server).
 * Returns which lines were told: the rest is in the stored log.
 */
export async function followLog(
  place: FilePlace,
  wanted: { readonly kind: "BackupLog" | "RestoreLog"; readonly name: string },
  follower: LogFollower,
  signal: AbortSignal,
): Promise<LogPosition> {
  const reader = new Reader(follower);
  while (!signal.aborted) {
    try {
      if (await once(place, wanted, reader, signal)) break;
    } catch (error) {
      if (!signal.aborted && !isPassing(error)) throw error;
    }
    await sleep(systemClock, pauseMs, signal).catch(() => undefined); // told to stop: what was told is known
  }
  return reader.position;
}

/** One request, for as long as it lives. True when there is nothing more to ask for. */
async function once(
  { client, namespace }: FilePlace,
  { kind, name }: { readonly kind: "BackupLog" | "RestoreLog"; readonly name: string },
  reader: Reader,
  signal: AbortSignal,
): Promise<boolean> {
  const annotations = { [followAnnotation]: JSON.stringify(reader.position) };
  const made = await client.create<DownloadRequest>(
    requests,
    {
      apiVersion: "velero.io/v1",
      kind: "DownloadRequest",
      metadata: { name: `${name}-${randomUUID()}`, namespace, annotations },
      spec: { target: { kind, name } },
    },
    {},
    signal,
  );
  const query = {
    namespace,
    fieldSelector: `metadata.name=${made.metadata.name}`,
    resourceVersion: made.metadata.resourceVersion,
  };
  for await (const event of client.watch<DownloadRequest>(requests, query, signal)) {
    if (event.type === "BOOKMARK") continue;
    if (event.type === "DELETED") return false;
    const { metadata, status } = event.object;
    const lines = readLiveLines(metadata.annotations?.[liveLogAnnotation]);
    if (lines) reader.take(lines);
    if (status?.downloadURL || status?.expiration) return true;
  }
  return false;
}

/** Tells each line once, and what is missing between them. */
class Reader {
  position: LogPosition = { run: "", lines: 0 };
  readonly #follower: LogFollower;

  constructor(follower: LogFollower) {
    this.#follower = follower;
  }

  take({ run, from, lines }: LiveLines): void {
    if (run === "") return;
    if (run !== this.position.run) {
      if (this.position.run !== "") this.#follower.anew();
      this.position = { run, lines: 0 };
    }
    const have = this.position.lines;
    if (from > have) this.#follower.missed(from - have);
    for (const line of lines.slice(Math.max(0, have - from))) this.#follower.line(line);
    this.position = { run, lines: Math.max(have, from + lines.length) };
  }
}
