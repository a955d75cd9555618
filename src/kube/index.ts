// Talking to an API server: access, client, informers, controllers, leases, budgeted status writes.
// It knows no kind of ours by name; what objects mean is decided in the engines.
export { type Access, type AccessOptions, type DirectAccess, directAccess, findAccess } from "./access.ts";
export {
  ApiError,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  isPassing,
  isUnauthorized,
  type StatusBody,
} from "./api-error.ts";
export { type IntervalMs, steady, stretching, writeBudget } from "./budget.ts";
export { builtIn } from "./built-in.ts";
export { Cache, type CacheOptions, View, type ViewOptions } from "./cache.ts";
export {
  Client,
  connect,
  connectTo,
  type DeleteOptions,
  type Patch,
  type Place,
  type Table,
  type WriteOptions,
} from "./client.ts";
export { type Clock, sleep, systemClock } from "./clock.ts";
export { Controller, type ControllerOptions, type Outcome } from "./controller.ts";
export { type DiscoveredResource, type Discovery, findResource } from "./discovery.ts";
export { EventRecorder, type EventRecorderOptions, type Happening } from "./event-recorder.ts";
export type { ExecOptions, ExecResult } from "./exec.ts";
export { Informer, type InformerOptions, keyOf, splitKey } from "./informer.ts";
export { labelValue } from "./label-value.ts";
export { LeaderElector, type LeaderElectorOptions } from "./leader.ts";
export { type Beginning, type ListQuery, type Page, withKind } from "./list.ts";
export type { LogQuery } from "./logs.ts";
export { mapErrors } from "./map-errors.ts";
export { Mask, maskErrors } from "./mask.ts";
export { composePatches, type MergePatch } from "./merge-patch.ts";
export { explainRefusal, type MissingRight, missingRight } from "./missing-right.ts";
export { apiVersionOf, pathOf, type Resource, resourceOf, titleOf } from "./resource.ts";
export {
  type StatusCounts,
  type StatusTarget,
  StatusWriter,
  type StatusWriterOptions,
} from "./status-writer.ts";
export { Canceled, Tasks, type TasksOptions } from "./tasks.ts";
export type { TransportOptions } from "./transport.ts";
export type { WatchEvent, WatchQuery } from "./watch.ts";
export { WorkQueue, type WorkQueueOptions } from "./workqueue.ts";
