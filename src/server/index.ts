// The HTTP edge: operations as JSON, a stream of their changes, metrics, health; who may ask.
// What operations are is decided in observe and progress; pages for people live in ui.
export { clusterAuthorizer, tokenAuthorizer } from "./authorize.ts";
export type { ClusterPart, PlanRestore } from "./cluster-routes.ts";
export { type Listening, listen } from "./listen.ts";
export { VeleroMetrics } from "./velero-metrics.ts";
