import type { KubeObject } from "../../api/index.ts";
import type { Observation, State } from "../../progress/index.ts";
import { refOf } from "../reading.ts";

/** What an engine knows of a CSI snapshot on its way. */
export interface SnapshotTold {
  readonly namespace: string;
  readonly claim: string;
  /** Its turn has not come, the driver takes it, it becomes ready, or how it ended. */
  readonly stage: "queued" | "taking" | "readying" | "done" | "failed";
  /** Whether the snapshot is only the source of a copy that is made next. */
  readonly moves: boolean;
  readonly startedAt?: number | undefined;
  readonly finishedAt?: number | undefined;
  /** What the driver or the snapshot controller says is wrong, as long as it does. */
  readonly trouble?: string | undefined;
  readonly error?: string | undefined;
}

const stages = ["queued", "taking", "readying", "done"] as const;

/** A snapshot as a part of its backup: taken, then ready; with what holds it up. */
export function tellSnapshot(backup: KubeObject, told: SnapshotTold): Observation {
  const { namespace, claim, stage, moves, startedAt, finishedAt, trouble, error } = told;
  const ref = refOf(backup);
  const state = stateOf(stage);
  const now = stages.findIndex((one) => one === stage);
  const step = (id: string, title: string, at: number): Observation => ({
    id,
    ref,
    kind: "snapshot-step",
    title,
    state: stage === "failed" ? "failed" : at < now ? "completed" : at === now ? "running" : "pending",
    ...(at === now && waits(told)),
  });
  return {
    id: `snapshot/${namespace}/${claim}`,
    ref,
    kind: moves ? "dataupload" : "csisnapshot",
    title: `${namespace}/${claim}`,
    state,
    rule: "steps",
    ...(startedAt !== undefined && { startedAt }),
    ...(finishedAt !== undefined && { finishedAt }),
    ...((error ?? trouble) !== undefined && { message: error ?? trouble ?? "" }),
    ...((stage === "taking" || stage === "readying") && { waitingFor: waits(told).waitingFor }),
    ...(stage === "queued" && { waitingFor: { reason: "queue", message: "other snapshots of this backup" } }),
    children: [
      step("taken", "taking the snapshot", 1),
      ...(moves ? [] : [step("ready", "waiting until the snapshot is ready", 2)]),
    ],
  };
}

function stateOf(stage: SnapshotTold["stage"]): State {
  switch (stage) {
    case "queued":
      return "pending";
    case "taking":
    case "readying":
      return "running";
    case "done":
      return "completed";
    case "failed":
      return "failed";
  }
}

function waits({ stage, trouble }: SnapshotTold): Required<Pick<Observation, "waitingFor" | "signals">> {
  // Storage that copies a snapshot away takes minutes or hours: that is no stall.
  const cause = trouble !== undefined ? "snapshot-failing" : stage === "taking" ? "driver-silent" : undefined;
  const message = trouble ?? (stage === "taking" ? "the CSI driver to take it" : "the storage to finish it");
  return {
    waitingFor: { reason: "snapshot", message },
    signals: { causes: cause === undefined ? [] : [cause] },
  };
}
