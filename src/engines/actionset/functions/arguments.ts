/** What is known of a function without running it. */
export interface Signature {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** Keys of its output; absent when the command decides. */
  readonly outputs?: readonly string[];
  /** Arguments that the function renders itself, at its own time. */
  readonly rendersItself?: readonly string[];
  /** Why it is recognised but not run. */
  readonly refused?: string;
}

const pod = ["podOverride", "podAnnotations", "podLabels"];
const mover = ["encryptionKey", "insecureTLS"];
const rds = ["credentialsSource", "credentialsSecret", "region"];
const aws = "it needs the AWS RDS API, which this program does not speak";
const gone = "upstream has removed it";
const server =
  "it needs a kopia repository server, which upstream has removed; BackupData and its kin use kopia without one";

function takes(required: string, optional: readonly string[], more: Partial<Signature> = {}): Signature {
  return { required: required.split(" ").filter(Boolean), optional, ...more };
}

/** Every function that blueprints may name. */
export const signatures: Readonly<Record<string, Signature>> = {
  KubeExec: takes("namespace pod command", ["container"]),
  KubeExecAll: takes("namespace pods containers command", []),
  KubeTask: takes("image command", ["namespace", ...pod]),
  MultiContainerRun: takes("backgroundImage backgroundCommand outputImage outputCommand", [
    "namespace",
    "initImage",
    "initCommand",
    "sharedVolumeMedium",
    "sharedVolumeSizeLimit",
    "sharedVolumeDir",
    ...pod,
  ]),
  KubeOps: takes("operation", ["spec", "namespace", "objectReference"], {
    outputs: ["apiVersion", "group", "resource", "kind", "name", "namespace"],
  }),
  ScaleWorkload: takes("replicas", ["namespace", "name", "kind", "waitForReady"], {
    outputs: ["originalReplicaCount"],
  }),
  PrepareData: takes("namespace image command", ["volumes", "serviceaccount", "failOnError", ...pod]),
  Wait: takes("timeout conditions", [], { outputs: [], rendersItself: ["conditions"] }),
  WaitV2: takes("timeout conditions", [], { outputs: [], rendersItself: ["conditions"] }),
  BackupData: takes("namespace pod container includePath backupArtifactPrefix", mover, {
    outputs: ["backupID", "backupTag", "fileCount", "size", "phySize", "version"],
  }),
  BackupDataAll: takes("namespace container includePath backupArtifactPrefix", ["pods", ...mover], {
    outputs: ["BackupAllInfo", "version"],
  }),
  CopyVolumeData: takes("namespace volume dataArtifactPrefix", ["mountPath", "image", ...mover, ...pod], {
    outputs: [
      "backupID",
      "backupRoot",
      "backupArtifactLocation",
      "backupTag",
      "fileCount",
      "size",
      "phySize",
      "version",
    ],
  }),
  RestoreData: takes("namespace image backupArtifactPrefix", [
    "backupTag",
    "backupIdentifier",
    "pod",
    "volumes",
    "restorePath",
    "backupPath",
    ...mover,
    ...pod,
  ]),
  RestoreDataAll: takes("namespace image backupArtifactPrefix backupInfo", [
    "restorePath",
    "pods",
    ...mover,
    ...pod,
  ]),
  DeleteData: takes(
    "namespace backupArtifactPrefix",
    ["backupID", "backupTag", "reclaimSpace", "image", ...mover, ...pod],
    { outputs: ["spaceFreed"] },
  ),
  DeleteDataAll: takes(
    "namespace backupArtifactPrefix backupInfo",
    ["reclaimSpace", "image", ...mover, ...pod],
    { outputs: ["spaceFreed"] },
  ),
  BackupDataStats: takes(
    "namespace backupArtifactPrefix backupID",
    ["statsMode", "encryptionKey", "image", ...pod],
    { outputs: ["mode", "fileCount", "size", "version"] },
  ),
  CheckRepository: takes("backupArtifactPrefix", ["image", ...mover, ...pod], {
    outputs: ["passwordIncorrect", "repoUnavailable", "version"],
  }),
  LocationDelete: takes("artifact", [], { outputs: [] }),
  CreateCSISnapshot: takes("pvc namespace snapshotClass", ["name", "labels"], {
    outputs: ["name", "pvc", "namespace", "restoreSize", "snapshotContent"],
  }),
  CreateCSISnapshotStatic: takes("name namespace driver snapshotHandle snapshotClass", [], {
    outputs: ["name", "namespace", "restoreSize", "snapshotContent"],
  }),
  RestoreCSISnapshot: takes(
    "name pvc namespace storageClass restoreSize",
    ["accessModes", "volumeMode", "labels"],
    { outputs: [] },
  ),
  DeleteCSISnapshot: takes("name namespace", [], { outputs: [] }),
  DeleteCSISnapshotContent: takes("name", [], { outputs: [] }),
  CreateRDSSnapshot: takes("instanceID", ["dbEngine", ...rds], { refused: aws }),
  ExportRDSSnapshotToLocation: takes(
    "namespace instanceID snapshotID dbEngine",
    [
      "username",
      "password",
      "backupArtifactPrefix",
      "databases",
      "securityGroupID",
      "dbSubnetGroup",
      "image",
      "podAnnotations",
      "podLabels",
      ...rds,
    ],
    { refused: aws },
  ),
  RestoreRDSSnapshot: takes(
    "instanceID",
    [
      "snapshotID",
      "backupArtifactPrefix",
      "backupID",
      "username",
      "password",
      "namespace",
      "dbEngine",
      "securityGroupID",
      "dbSubnetGroup",
      "image",
      "podAnnotations",
      "podLabels",
      ...rds,
    ],
    { refused: aws },
  ),
  DeleteRDSSnapshot: takes("snapshotID", ["dbEngine", ...rds], { refused: aws }),
  BackupDataUsingKopiaServer: takes(
    "container includePath namespace pod",
    ["snapshotTags", "repositoryServerUserHostname"],
    { refused: server },
  ),
  RestoreDataUsingKopiaServer: takes(
    "backupIdentifier namespace restorePath image",
    ["pod", "volumes", "repositoryServerUserHostname", ...pod],
    { refused: server },
  ),
  DeleteDataUsingKopiaServer: takes(
    "backupID namespace image",
    ["repositoryServerUserHostname", "podAnnotations", "podLabels"],
    { refused: server },
  ),
  CreateVolumeSnapshot: takes("", [], { refused: gone }),
  WaitForSnapshotCompletion: takes("", [], { refused: gone }),
  CreateVolumeFromSnapshot: takes("", [], { refused: gone }),
  DeleteVolumeSnapshot: takes("", [], { refused: gone }),
  DescribeBackups: takes("", [], { refused: gone }),
};

/** What is wrong with the names of some arguments; nothing is when the list is empty. */
export function argumentFaults(func: string, names: readonly string[]): string[] {
  const signature = Object.hasOwn(signatures, func) ? signatures[func] : undefined;
  if (!signature) return [`there is no function "${func}"`];
  if (signature.refused !== undefined) return [`function "${func}" cannot be run: ${signature.refused}`];
  const known = [...signature.required, ...signature.optional];
  return [
    ...signature.required
      .filter((name) => !names.includes(name))
      .map((name) => `function "${func}" needs the argument "${name}"`),
    ...names
      .filter((name) => !known.includes(name))
      .map((name) => `function "${func}" has no argument "${name}"; it takes ${known.join(", ")}`),
  ];
}
