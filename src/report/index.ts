// The one author of progress: engines and agents say what they see, and it becomes the object's status and the viewers' truth.
// Not here: the laws (progress), upstream's schemas (kinds), how often the API server may be written to (kube).
export { LiveLogs } from "./live-logs.ts";
export { type Facts, Reporter } from "./reporter.ts";
