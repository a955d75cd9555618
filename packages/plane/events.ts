import type { KubeObject } from "./object.ts";

/** Field names of the core group and of events.k8s.io; the objects are the same. */
const pairs = [
  ["involvedObject", "regarding"],
  ["message", "note"],
  ["count", "deprecatedCount"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["source", "deprecatedSource"],
  ["reportingComponent", "reportingController"],
] as const;

/** A stored Event as events.k8s.io/v1 shows it. */
export function toEventsGroup(event: KubeObject): KubeObject {
  return renamed(event, new Map(pairs), "events.k8s.io/v1");
}

/** An events.k8s.io/v1 Event as it is stored. */
export function toCoreGroup(event: KubeObject): KubeObject {
  return renamed(event, new Map(pairs.map(([core, other]) => [other, core])), "v1");
}

function renamed(event: KubeObject, names: ReadonlyMap<string, string>, apiVersion: string): KubeObject {
  const entries = Object.entries(event).map(([key, value]) => [names.get(key) ?? key, value]);
  return { ...(Object.fromEntries(entries) as KubeObject), apiVersion };
}
