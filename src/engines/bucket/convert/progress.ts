import type { Observation, Ref, State } from "../../../progress/index.ts";
import type { ResticCopy } from "./rewrite.ts";
import { passes } from "./volume.ts";

/** How far one volume is. */
export interface VolumeProgress {
  readonly copy: ResticCopy;
  readonly state: State;
  readonly size: number;
  readonly pass?: (typeof passes)[number];
  /** Of the pass. */
  readonly bytes?: number;
  readonly message?: string;
}

/** Volumes that are shown one by one; of more only the sum is. */
const shownAtMost = 200;

/** A conversion as an operation: every byte of a volume passes four times. */
export function convertObservation(
  place: string,
  volumes: readonly VolumeProgress[],
  state: State,
): Observation {
  const ref: Ref = { apiVersion: "headway.dev/v1alpha1", kind: "BucketConversion", name: place };
  const common = { id: "bucket-convert", ref, kind: "BucketConversion", title: `convert ${place}`, state };
  if (volumes.length > shownAtMost || volumes.length === 0) {
    const done = volumes.reduce((sum, one) => sum + passed(one), 0);
    const total = volumes.reduce((sum, { size }) => sum + passes.length * size, 0);
    return { ...common, progress: { unit: "bytes", done, total } };
  }
  return {
    ...common,
    rule: "sum",
    children: volumes.map((one) => ({
      id: `${one.copy.backup}/${one.copy.copy}`,
      ref: { ...ref, name: one.copy.copy },
      kind: "PodVolumeBackup",
      title: `${one.copy.backup} ${one.copy.namespace}/${one.copy.pod}/${one.copy.volume}`,
      state: one.state,
      progress: { unit: "bytes" as const, done: passed(one), total: passes.length * one.size },
      ...(one.message !== undefined ? { message: one.message } : one.pass && { message: one.pass }),
    })),
  };
}

/** Bytes of a volume over all of its passes. */
function passed({ state, size, pass, bytes = 0 }: VolumeProgress): number {
  if (state === "completed") return passes.length * size;
  const before = pass === undefined ? 0 : passes.indexOf(pass);
  return before * size + Math.min(bytes, size);
}
