// Talking to an API server: access, client, informers, controllers, leases, budgeted status writes.
// It knows no kind of ours by name; what objects mean is decided in the engines.

export { type Access, contextNames, type DirectAccess, findAccess } from "./access.ts";
export {
  ApiError,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isInvalid,
  isNotFound,
  isPassing,
  isUnauthorized,
} from "./api-error.ts";
export { type IntervalMs, steady, stretching, writeBudget } from "./budget.ts";
export { builtIn } from "./built-in.ts";
export { Cache, View } from "./cache.ts";
export { Client, connect, connectTo, type Patch } from "./client.ts";
export { type Clock, sleep, systemClock } from "./clock.ts";
export { Controller, type Outcome } from "./controller.ts";
export { type DiscoveredResource, type Discovery, findResource } from "./discovery.ts";
export { type EventNote, EventRecorder } from "./event-recorder.ts";
export type { ExecOptions } from "./exec.ts";
export { Informer, keyOf } from "./informer.ts";
export { labelValue } from "./label-value.ts";
export { LeaderElector } from "./leader.ts";
export { type ListQuery, type Page, withKind } from "./list.ts";
export type { Log } from "./log.ts";
export { mapErrors } from "./map-errors.ts";
export { Mask, maskErrors } from "./mask.ts";
export { composePatches, type MergePatch } from "./merge-patch.ts";
export { explainRefusal, type MissingRight, missingRight } from "./missing-right.ts";
export { patiently } from "./patience.ts";
export { apiVersionOf, type Resource, resourceOf } from "./resource.ts";
export { type StatusTarget, StatusWriter } from "./status-writer.ts";
export { Canceled, Tasks } from "./tasks.ts";
export type { WatchEvent } from "./watch.ts";
