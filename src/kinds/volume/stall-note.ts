import { busyAnnotation, type KubeObject, stallAnnotation } from "../../api/index.ts";
import { type Stall, type StallCause, stallCauses } from "../../progress/index.ts";

/** Causes that a node agent can see itself. */
export type AgentStall = Extract<
  StallCause,
  | "mover-silent"
  | "lock-held"
  | "store-unreachable"
  | "mover-gone"
  | "snapshot-not-ready"
  | "volume-not-bound"
  | "image-pull"
  | "pod-pending"
  | "object-waiting"
>;

/** The metadata that says why a copy stands still, or that it does not: upstream's status has no place for it. */
export function writeStall(stall: { readonly cause: AgentStall; readonly since: number } | undefined) {
  return { annotations: { [stallAnnotation]: stall ? JSON.stringify(stall) : null } };
}

/** Why a copy stands still, as its agent says; upstream's agents never say it. */
export function readStall({ metadata }: Pick<KubeObject, "metadata">): Stall | undefined {
  const note = metadata.annotations?.[stallAnnotation];
  if (note === undefined) return undefined;
  try {
    const said = JSON.parse(note) as { readonly cause?: unknown; readonly since?: unknown } | null; // checked below
    const cause = stallCauses.find((known) => known === said?.cause);
    return cause && { cause, since: typeof said?.since === "number" ? said.since : 0 };
  } catch {
    return undefined; // not written by an agent of ours
  }
}

/** The metadata that says when a copy was at work whose numbers stand: a slow link moves bytes long before a number. */
export function writeBusy(atMs: number | undefined) {
  return { annotations: { [busyAnnotation]: atMs === undefined ? null : String(Math.round(atMs)) } };
}

/** Epoch ms at which a copy was last at work, as its agent says. */
export function readBusy({ metadata }: Pick<KubeObject, "metadata">): number | undefined {
  const at = Number(metadata.annotations?.[busyAnnotation] ?? Number.NaN);
  return Number.isSafeInteger(at) && at > 0 ? at : undefined;
}
