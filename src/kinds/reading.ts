import type { KubeObject } from "../api/index.ts";
import type { Observation, Ref } from "../progress/index.ts";

/** The reference of an object. */
export function refOf(object: KubeObject, cluster?: string): Ref {
  const { namespace, name, uid } = object.metadata;
  return {
    ...(cluster !== undefined && { cluster }),
    apiVersion: object.apiVersion,
    kind: object.kind,
    ...(namespace !== undefined && { namespace }),
    name,
    ...(uid !== undefined && { uid }),
  };
}

/** Epoch ms of a Kubernetes time; null, absent and unreadable are undefined. */
export function timeOf(text: string | null | undefined): number | undefined {
  const at = Date.parse(text ?? "");
  return Number.isNaN(at) ? undefined : at;
}

/** The times of an operation, without those that are not known. */
export function timesOf(
  started: string | null | undefined,
  finished: string | null | undefined,
): Pick<Observation, "startedAt" | "finishedAt"> {
  const [startedAt, finishedAt] = [timeOf(started), timeOf(finished)];
  return {
    ...(startedAt !== undefined && { startedAt }),
    ...(finishedAt !== undefined && { finishedAt }),
  };
}

/** Text for a person, or nothing. */
export function messageOf(...texts: readonly (string | null | undefined)[]): { message?: string } {
  const message = texts.find((text) => text !== undefined && text !== null && text !== "");
  return message ? { message } : {};
}

/** The object's own place in the tree of all operations. */
export function idOf(object: KubeObject): string {
  return `${object.kind.toLowerCase()}/${object.metadata.namespace ?? ""}/${object.metadata.name}`;
}
