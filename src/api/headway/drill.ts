import { labelSelector, typedLocalReference } from "../core.ts";
import { ageColumn, column, defineKind, type ObjectOf } from "../kind.ts";
import {
  anyObject,
  bool,
  choice,
  duration,
  int,
  int64,
  listOf,
  nullable,
  num,
  obj,
  str,
  stringMap,
  strings,
  timeOrNull,
} from "../schema.ts";

const check = obj(
  "One check of the restored application: exec, http or job",
  {
    name: str("What the report calls it"),
    namespace: str("The namespace as the backup has it; may be left out when the backup has one only"),
    timeout: duration("How long it may take, retries included; 2m when absent"),
    exec: obj(
      "A command in a container of a restored pod; it must end with 0",
      {
        pod: str("The pod; this or selector"),
        selector: nullable(labelSelector("Labels of the pod; the first ready one is taken")),
        container: str("The container; the first one when absent"),
        command: strings("The command and its arguments", { minItems: 1 }),
      },
      ["command"],
    ),
    http: obj(
      "A GET request to a restored pod, sent by the operator",
      {
        pod: str("The pod; this or selector"),
        selector: nullable(labelSelector("Labels of the pod; the first ready one is taken")),
        port: int("The port of the pod", { minimum: 1, maximum: 65535 }),
        path: str("The path; / when absent"),
        status: int("The status that is expected; any from 200 to 399 when absent"),
        contains: str("Text that the first 64 KiB of the answer must contain"),
      },
      ["port"],
    ),
    job: obj(
      "A Job beside the restored application; it must complete",
      { template: anyObject("The template of its pods, as in a Job") },
      ["template"],
    ),
  },
  ["name"],
);

const spec = obj("What is rehearsed, when, and what must hold", {
  backupName: str("The Backup to rehearse; this or scheduleName"),
  scheduleName: str("The Schedule whose newest completed backup is rehearsed"),
  schedule: str("When, as five cron fields or @every 24h; once and at once when absent"),
  timeZone: str("The time zone of the schedule, such as Europe/Paris; UTC when absent"),
  paused: bool("Whether the schedule makes no runs for now"),
  keep: int("Runs of the schedule that are kept; 10 when absent", { minimum: 1 }),
  includedNamespaces: strings("Namespaces of the backup to rehearse; all of them when absent"),
  isolation: obj("How the restored copy is cut off from the world", {
    resourceModifier: nullable(
      typedLocalReference("ConfigMap with resource modifiers in place of the usual ones"),
    ),
    excludedResources: strings("Types that are not restored, beside the usual ones"),
    allowEgress: bool("Whether the restored pods may open connections to the outside"),
    storageClassName: str("The storage class of all restored claims"),
    quota: stringMap("What each scratch namespace may use, such as requests.storage: 100Gi"),
  }),
  readyTimeout: duration("How long the workloads may take to become ready; 10m when absent"),
  restoreTimeout: duration("How long the restore may take; 4h when absent"),
  checks: listOf("What must hold beside ready workloads and complete volumes", check),
});

/** Phases of a Drill; a missing or empty phase means New. */
export const drillPhases = [
  "New",
  "Scheduled",
  "Preparing",
  "Restoring",
  "Checking",
  "CleaningUp",
  "Completed",
  "Failed",
  "Canceled",
  "FailedValidation",
] as const;

/** The steps of a drill, in the order of the run. */
export const drillSteps = ["prepare", "restore", "ready", "volumes", "checks", "cleanup"] as const;

const states = [
  "pending",
  "running",
  "completed",
  "partially-failed",
  "failed",
  "canceled",
  "skipped",
] as const;

/** What a failure is put down to. */
const drillParts = [
  "backup",
  "repository",
  "location",
  "cluster",
  "image",
  "application",
  "check",
  "drill",
] as const;

const step = obj(
  "One step",
  {
    name: choice("Which one", drillSteps),
    state: choice("Where it is in its life", states),
    startedAt: int64("When it began, in epoch ms"),
    finishedAt: int64("When it ended, in epoch ms"),
    message: str("What is going on, or what went wrong"),
    errors: int("What went wrong, counted"),
  },
  ["name", "state"],
);

const status = obj("How the rehearsal goes, and what it proved", {
  phase: choice("Where it stands", drillPhases),
  message: str("How it ended, in one sentence"),
  backupName: str("The Backup that is rehearsed"),
  backupTimestamp: timeOrNull("When that backup began: the age of its data counts from here"),
  restoreName: str("The Restore that does the work"),
  namespaces: listOf(
    "The scratch namespaces",
    obj("One of them", { source: str("As the backup has it"), target: str("Where it is restored") }, [
      "source",
      "target",
    ]),
  ),
  startTimestamp: timeOrNull("When it began"),
  completionTimestamp: timeOrNull("When everything of it was removed"),
  steps: listOf("Its steps", step),
  checks: listOf(
    "What was checked",
    obj(
      "One check",
      {
        name: str("Which one"),
        kind: choice("What kind", ["workload", "volume", "exec", "http", "job"]),
        namespace: str("The namespace as the backup has it"),
        result: choice("The verdict", ["Passed", "Failed"]),
        message: str("What was seen"),
        seconds: num("How long it took"),
      },
      ["kind", "name", "result"],
    ),
  ),
  failures: listOf(
    "What failed, and what that is put down to",
    obj(
      "One failure",
      {
        part: choice("What is to blame", drillParts),
        reason: str("Why, in one word"),
        object: str("The object that it was seen on"),
        message: str("Why, for a person"),
      },
      ["message", "part", "reason"],
    ),
  ),
  result: obj("What was measured", {
    rtoSeconds: num("From the start of the restore to the last good check: how long recovery takes"),
    objectsSeconds: num("Of these, until all objects were there"),
    volumesSeconds: num("Of these, from then until the restore ended: the data of the volumes"),
    readySeconds: num("Of these, from then until the workloads were ready"),
    checksSeconds: num("Of these, for the checks"),
    rpoSeconds: num("The age of the data at the start: what would be lost"),
    items: int("Objects of the backup"),
    itemsRestored: int("Objects that were restored"),
    volumes: int("Volumes whose data the backup holds"),
    volumesProved: int("Volumes that were restored whole"),
    bytes: int64("Bytes that the backup's volumes hold"),
    bytesRestored: int64("Bytes that were restored"),
  }),
  report: obj("The signed report", {
    key: str("Where it lies in the storage location"),
    sha256: str("The hash of its content"),
    publicKey: str("The key that it verifies with, in base64"),
    document: str("The report itself, as it was signed"),
  }),
  lastRunName: str("The last run of a schedule"),
  lastRunTimestamp: timeOrNull("When it was made"),
  nextRunTimestamp: timeOrNull("When the next one is due"),
  conditions: listOf(
    "What holds now, as kstatus and kubectl wait read it; nothing reads them back",
    obj(
      "A condition",
      {
        type: choice("Which one", ["Ready", "Reconciling", "Stalled", "Complete", "Failed"]),
        status: choice("Whether it holds", ["True", "False"]),
        reason: str("Why, in one word"),
        message: str("The same for a person"),
        lastTransitionTime: str("Since when it holds"),
      },
      ["status", "type"],
    ),
  ),
});

/** The kind Drill. */
export const drill = defineKind({
  group: "headway.dev",
  version: "v1alpha1",
  kind: "Drill",
  plural: "drills",
  description: "A rehearsal of a restore: into scratch namespaces, checked, measured and removed again",
  fields: { spec, status },
  columns: [
    column("Backup", ".status.backupName"),
    column("Status", ".status.phase"),
    column("RTO", ".status.result.rtoSeconds", "number", { description: "Seconds that recovery took" }),
    column("Proved", ".status.result.volumesProved", "integer", { description: "Volumes restored whole" }),
    column("Volumes", ".status.result.volumes", "integer"),
    column("Last Run", ".status.lastRunTimestamp", "date"),
    ageColumn,
    column("Message", ".status.message", "string", { priority: 1 }),
  ],
});

/** A rehearsal of a restore. */
export type Drill = ObjectOf<typeof drill>;
