import { formatTime } from "../../api/index.ts";
import { type Operation, type Sample, unfinished } from "../../progress/index.ts";
import { volumePhaseFor } from "./phase.ts";

/** The status of a volume's copy as upstream's agents write it; zeros are left out, as Go does. */
interface WrittenVolume {
  readonly phase: string;
  readonly message?: string;
  readonly startTimestamp?: string;
  readonly completionTimestamp?: string;
  readonly progress?: Bytes;
}

/** What was written last. */
type Before = { readonly progress?: Bytes | null } | null;

/** Bytes as upstream's schema has them. */
interface Bytes {
  readonly totalBytes?: number;
  readonly bytesDone?: number;
}

/** The part of a copy's status that tells how far it is; `before` is what was written last. */
export function writeVolume(operation: Operation, before?: Before) {
  const { state, startedAt, finishedAt, message } = operation;
  const progress = writeBytes(operation, before?.progress);
  return {
    phase: volumePhaseFor(state),
    ...(message !== undefined && { message }),
    ...(startedAt !== undefined && state !== "pending" && { startTimestamp: formatTime(startedAt) }),
    ...(finishedAt !== undefined && { completionTimestamp: formatTime(finishedAt) }),
    ...(progress && { progress }),
  } satisfies WrittenVolume;
}

/** The status of a volume that a plugin moves: the same, and the percent that kubectl shows. */
export function writePluginVolume(operation: Operation, before?: Before) {
  const status = writeVolume(operation, before);
  const { fraction } = operation;
  return { ...status, ...(fraction !== undefined && { percent: Math.floor(fraction * 100) }) };
}

/** The bytes of an operation; nothing when nothing is known. */
function writeBytes({ state, progress }: Operation, before?: Bytes | null): Bytes | undefined {
  if (progress?.unit !== "bytes") return undefined;
  // Upstream's field is a fact; a guess has its own place.
  const { total: guess, estimated, ...counted } = progress;
  const known: Sample = estimated || guess === undefined ? counted : { ...counted, total: guess };
  const { done, total } = state === "completed" ? known : unfinished(known, before?.bytesDone);
  if (!done && !total) return undefined;
  return { ...(total && { totalBytes: total }), ...(done > 0 && { bytesDone: done }) };
}
