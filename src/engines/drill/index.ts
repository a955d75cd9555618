// Drills: rehearsals of restores into scratch namespaces, what they check, how they clean up and what they prove.
// Not here: the restore itself (engines/restore, through an ordinary Restore), the command line.
export type { DrillDeps } from "./deps.ts";
export { startDrillController } from "./drill-controller.ts";
export { drillNames } from "./names.ts";
export { type DrillReport, verifyDocument } from "./report.ts";
