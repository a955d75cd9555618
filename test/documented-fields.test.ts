import { expect, test } from "vitest";
import { allKinds, type KindName } from "../src/api/index.ts";
import { fieldLines } from "./harness/field-lines.ts";

// Written down by hand from what Kanister, MTC and the designs document, not from the schemas.
const documented: Partial<Record<KindName, Record<string, string>>> = {
  ActionSet: {
    "spec.actions[]":
      "name object.kind object.group object.resource object.apiVersion object.name object.namespace blueprint artifacts{}.keyValue{} artifacts{}.kopiaSnapshot configMaps{}.name secrets{}.namespace profile.name podOverride options{} preferredVersion podLabels{} podAnnotations{} repositoryServer.name",
    status:
      "state error.message progress.runningPhase progress.percentCompleted progress.sizeDownloadedB progress.sizeUploadedB progress.estimatedDownloadSizeB progress.estimatedUploadSizeB progress.lastTransitionTime progress.runningPhases[] progress.estimatedTimeSeconds",
    "status.actions[]": "name object.name blueprint artifacts{}.keyValue{} progress.percentCompleted",
    "status.actions[].phases[]": "name state output startTime endTime step",
    "status.actions[].phases[].progress":
      "progressPercent sizeDownloadedB sizeUploadedB estimatedDownloadSizeB estimatedUploadSizeB estimatedTimeSeconds estinatedTimeSeconds lastTransitionTime",
    "status.actions[].deferPhase": "name state output progress.progressPercent",
  },
  Blueprint: {
    "actions{}":
      "name kind configMapNames[] secretNames[] inputArtifactNames[] outputArtifacts{}.keyValue{} outputArtifacts{}.kopiaSnapshot",
    "actions{}.phases[]": "func name objects{}.kind args",
    "actions{}.deferPhase": "func name objects{}.name args",
  },
  Profile: {
    location: "type bucket endpoint prefix region",
    credential: "type keyPair.idField keyPair.secretField keyPair.secret.name secret.namespace",
    "credential.kopiaServerSecret":
      "username hostname userPassphrase.key userPassphrase.secret.name tlsCert.key tlsCert.secret.name connectOptions{}",
    skipSSLVerify: "",
  },
  MigMigration: {
    spec: "migPlanRef.name migPlanRef.namespace stage quiescePods keepAnnotations verify canceled rollback migrateState runAsRoot runAsUser runAsGroup",
    status:
      "observedDigest startTimestamp phase itinerary itenerary step errors[] namespaces[].name namespaces[].workloads[].name namespaces[].workloads[].resources[]",
    "status.conditions[]": "type status reason category message lastTransitionTime durable progress",
    "status.pipeline[]":
      "name phase message progress[] started completed failed skipped canceled reason warnings[] lastProgressAt phases[].name phases[].started phases[].completed phases[].skipped",
    "status.pipeline[].details[]":
      "kind namespace name cluster claim.namespace claim.name phase objectPhase remark state done total unit startedAt completedAt message",
  },
  MigPlan: {
    spec: "namespaces[] srcMigClusterRef.name destMigClusterRef.name migStorageRef.name closed refresh indirectImageMigration indirectVolumeMigration includedResources[].kind labelSelector.matchLabels{} liveMigrate",
    "spec.persistentVolumes[]":
      "name capacity storageClass pvc.namespace pvc.name pvc.accessModes[] pvc.hasReference supported.actions[] supported.copyMethods[] selection.action selection.storageClass selection.accessMode selection.copyMethod selection.verify proposedCapacity capacityConfirmed",
    "spec.hooks[]": "reference.name phase executionNamespace serviceAccount",
    status:
      "observedDigest excludedResources[] srcStorageClasses[].name destStorageClasses[].name incompatibleNamespaces[].name incompatibleNamespaces[].gvks[].group incompatibleNamespaces[].gvks[].version incompatibleNamespaces[].gvks[].kind namespaces[].name",
    "status.conditions[]": "type status reason category message lastTransitionTime durable",
  },
  MigCluster: {
    spec: "isHostCluster url serviceAccountSecretRef.name caBundle insecure restartRestic exposedRegistryPath azureResourceGroup refresh",
    status: "conditions[].type observedDigest registryPath operatorVersion",
  },
  MigStorage: {
    spec: "backupStorageProvider volumeSnapshotProvider refresh",
    "spec.backupStorageConfig":
      "credsSecretRef.name awsBucketName awsRegion awsS3ForcePathStyle awsS3Url awsPublicUrl awsKmsKeyId awsSignatureVersion s3CustomCABundle azureStorageAccount azureStorageContainer azureResourceGroup gcpBucket insecure",
    "spec.volumeSnapshotConfig":
      "credsSecretRef.name snapshotCreationTimeout awsRegion azureApiTimeout azureResourceGroup",
    status: "conditions[].category observedDigest",
  },
  MigHook: {
    spec: "custom image playbook targetCluster activeDeadlineSeconds",
    status: "conditions[].reason",
  },
  VolumePluginBackup: {
    spec: "volume backup plugin pluginSpecific{}",
    status:
      "phase snapshotID message startTimestamp completionTimestamp progress.totalBytes progress.bytesDone percent",
  },
  VolumePluginRestore: {
    spec: "snapshotID backup plugin pluginSpecific{}",
    status:
      "phase volumeID message startTimestamp completionTimestamp progress.totalBytes progress.bytesDone percent",
  },
  Operation: {
    status:
      "ref.cluster ref.apiVersion ref.kind ref.namespace ref.name ref.uid kind title state progress.unit progress.done progress.total progress.movedAt fraction eta.seconds eta.low eta.high eta.unknown stall.since stall.cause waitingFor.reason waitingFor.object.name startedAt finishedAt message warnings errors children[]",
  },
};

test.each(Object.entries(documented))("%s has every documented field", (name, groups) => {
  const kind = allKinds.find((each) => each.kind === name);
  const paths = Object.entries(kind?.fields ?? {})
    .flatMap(([top, field]) => fieldLines(field, top))
    .map((line) => line.split(" ")[0]);
  const wanted = Object.entries(groups).flatMap(([at, fields]) =>
    fields === "" ? [at] : fields.split(" ").map((field) => `${at}.${field}`),
  );
  expect(wanted.filter((path) => !paths.includes(path))).toEqual([]);
});
