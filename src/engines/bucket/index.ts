// Buckets: what lies in one, whether it can be restored and by whom, what is useless, and converting copies of restic to kopia's.
// Not here: opening the bucket, the password, what is printed (cli/bucket); running movers (movers).
export { type CheckSink, type CheckSummary, checkBucket } from "./check.ts";
export { convertObservation, type VolumeProgress } from "./convert/progress.ts";
export { planRemoval, type ResticRemoval, removeRestic } from "./convert/remove.ts";
export type { ResticCopy } from "./convert/rewrite.ts";
export { type ConversionPlan, type ConvertSink, convertBackup, planConversion } from "./convert/run.ts";
export { Targets } from "./convert/volume.ts";
export type { BackupFacts } from "./facts.ts";
export type { Finding } from "./findings.ts";
export type { BackupReport } from "./judge.ts";
export { type Counts, checkObservation } from "./progress.ts";
export { type Removal, repair } from "./repair.ts";
export type { Opening, RepositoryReport } from "./repositories.ts";
export { restorableWords } from "./restorable.ts";
export { surveyBackup, surveyBackups, surveyRepositories } from "./survey.ts";
