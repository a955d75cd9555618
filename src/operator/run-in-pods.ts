import type { RunInPod } from "../engines/backup/index.ts";
import type { Client } from "../kube/index.ts";

/** Runs hooks in containers through the API server. */
export function runInPods(_client: Client): RunInPod {
  return () => Promise.reject(new Error("this build cannot run commands in pods"));
}
