import type { Api } from "./api.ts";
import { type KubeObject, numberAt, stamp, textAt } from "./object.ts";

/** What happened to an object, as `kubectl describe` shows it. */
export interface EventNote {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  /** Who says so, e.g. `kubelet`. */
  readonly component: string;
  readonly host?: string;
  /** The part of the object it is about, e.g. `spec.containers{web}`. */
  readonly fieldPath?: string;
}

/** Events are forgotten after an hour, as the real server does. */
const keptMs = 3_600_000;

/** The names of the events that are there, by what they say; expireEvents() keeps it as small as they are. */
const known = new WeakMap<Api, Map<string, string>>();
let counter = 0;

/**
 * Writes an Event about an object. The same note again counts on the one that is there, so their number is bounded by what
 * can be said about an object. Names begin with the time: events of one second are shown in the order of their names.
 */
export function record(api: Api, object: KubeObject, what: EventNote): void {
  const { namespace = "default", name, uid = "", resourceVersion = "" } = object.metadata;
  const home = api.read("namespaces", "", namespace);
  if (!home || home.metadata.deletionTimestamp !== undefined) return;
  const { type, reason, message, component, host, fieldPath } = what;
  const key = JSON.stringify([uid, type, reason, message, component, fieldPath]);
  const names = known.get(api) ?? new Map<string, string>();
  known.set(api, names);
  const now = stamp(api.now());
  const before = api.read("events", namespace, names.get(key) ?? "");
  if (before) {
    const again = { ...before, count: (numberAt(before, "count") ?? 1) + 1, lastTimestamp: now };
    api.update(api.resource("events"), namespace, again);
    return;
  }
  counter = (counter + 1) % 1_000_000;
  const eventName = `${name}.${(BigInt(api.now()) * 1_000_000n + BigInt(counter)).toString(16)}`;
  names.set(key, eventName);
  const { kind, apiVersion } = object;
  api.create(api.resource("events"), namespace, {
    kind: "Event",
    apiVersion: "v1",
    metadata: { name: eventName },
    involvedObject: {
      kind,
      namespace,
      name,
      uid,
      apiVersion,
      resourceVersion,
      ...(fieldPath && { fieldPath }),
    },
    reason,
    message,
    type,
    source: { component, ...(host !== undefined && { host }) },
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
    eventTime: null,
    reportingComponent: component,
    reportingInstance: host ?? "",
  });
}

/** Deletes the events that are too old. */
export function expireEvents(api: Api): void {
  const oldest = stamp(api.now() - keptMs);
  const kept = new Set<string>();
  for (const event of api.readAll("events")) {
    const { namespace = "", name, creationTimestamp = "" } = event.metadata;
    if ((textAt(event, "lastTimestamp") ?? creationTimestamp) < oldest)
      api.delete(api.resource("events"), namespace, name);
    else kept.add(name);
  }
  for (const [key, name] of known.get(api) ?? []) if (!kept.has(name)) known.get(api)?.delete(key);
}
