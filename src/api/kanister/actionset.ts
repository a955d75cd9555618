import { column, defineKind, type ObjectOf } from "../kind.ts";
import { anyObject, bool, int, int64, listOf, mapOf, obj, str, stringMap, time } from "../schema.ts";
import { artifact, fullReference, reference, v1alpha1 } from "./group.ts";

const sizes = {
  sizeDownloadedB: int("Bytes downloaded so far"),
  sizeUploadedB: int("Bytes uploaded so far"),
  estimatedDownloadSizeB: int("Bytes to download in all, as far as known"),
  estimatedUploadSizeB: int("Bytes to upload in all, as far as known"),
  lastTransitionTime: time("When another field here last changed"),
};

/** Ours: upstream has no place for these. */
const more = {
  observedBytesPerSecond: int64("Rate of the last while (Headway)"),
  stale: bool("Whether the numbers have not moved for long (Headway)"),
};

const phaseProgress = obj("How far the phase is", {
  progressPercent: str("Share that is done, 0.00 to 100.00"),
  ...sizes,
  estimatedTimeSeconds: int("Seconds left, as far as known"),
  estinatedTimeSeconds: int("The same under the name that upstream's Go types use"),
  ...more,
});

const actionProgress = obj("How far the work is", {
  runningPhase: str("The phase that runs"),
  percentCompleted: str("Share that is done, 0.00 to 100.00"),
  ...sizes,
  runningPhases: listOf("All phases that run (Headway)", { type: "string" }),
  estimatedTimeSeconds: int("Seconds left, as far as known (Headway)"),
  ...more,
});

const phase = obj("A phase", {
  name: str("The phase's name"),
  state: str("pending, running, failed or complete"),
  output: anyObject("What the function put out"),
  progress: phaseProgress,
  startTime: time("When the phase began (Headway)"),
  endTime: time("When the phase ended (Headway)"),
  step: str("What the function is doing (Headway)"),
});

const action = obj("An action", {
  name: str("The action's name in the Blueprint"),
  object: reference("What is acted on"),
  blueprint: str("The Blueprint, in the ActionSet's namespace"),
  artifacts: mapOf("Artifacts for the templates", artifact),
  configMaps: mapOf("ConfigMaps for the templates", reference("A ConfigMap")),
  secrets: mapOf("Secrets for the templates", reference("A Secret")),
  profile: reference("The Profile: where artifacts are stored"),
  podOverride: anyObject("A patch for the pods that functions create"),
  options: stringMap("Options for the templates"),
  preferredVersion: str("Version of the functions to prefer"),
  podLabels: stringMap("Labels for the pods that functions create"),
  podAnnotations: stringMap("Annotations for the pods that functions create"),
  repositoryServer: fullReference("The repository server, for old functions"),
});

const actionStatus = obj("How an action goes", {
  name: str("The action's name in the Blueprint"),
  object: reference("What is acted on"),
  blueprint: str("The Blueprint"),
  phases: listOf("The phases in their order", phase),
  artifacts: mapOf("Artifacts; templates until the action has ended", artifact),
  deferPhase: phase,
  progress: actionProgress,
});

/** The kind ActionSet. */
export const actionSet = defineKind({
  ...v1alpha1,
  kind: "ActionSet",
  plural: "actionsets",
  description: "Actions on applications, done one time",
  fields: {
    spec: obj("What to do", { actions: listOf("The actions", action) }),
    status: obj("How the actions go", {
      state: str("pending, running, failed or complete"),
      actions: listOf("The actions, in the order of the spec", actionStatus),
      error: obj("The last failure", { message: str("What went wrong; empty when nothing did") }),
      progress: actionProgress,
    }),
  },
  columns: [
    column("Progress", ".status.progress.percentCompleted"),
    column("SizeDownloadedB", ".status.progress.sizeDownloadedB", "integer"),
    column("SizeUploadedB", ".status.progress.sizeUploadedB", "integer"),
    column("EstimatedDownloadSizeB", ".status.progress.estimatedDownloadSizeB", "integer"),
    column("EstimatedUploadSizeB", ".status.progress.estimatedUploadSizeB", "integer"),
    column("Running Phase", ".status.progress.runningPhase"),
    column("Last Transition Time", ".status.progress.lastTransitionTime", "string", { format: "date-time" }),
    column("State", ".status.state"),
  ],
});

/** Actions on applications, done one time. */
export type ActionSet = ObjectOf<typeof actionSet>;
