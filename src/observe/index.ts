// Any custom resource, ours or upstream's, becomes an operation; relations, stall causes, history of finished runs.
// Drawing it (cli, ui) and doing the work (engines) do not live here.
export { announce } from "./announcer.ts";
export type {
  About,
  Board,
  BoardBackup,
  BoardLocation,
  BoardSchedule,
  Choice,
  ClusterState,
  Curve,
  EventLine,
  NamespaceProtection,
  ProtectionState,
  Remark,
  Remarks,
} from "./answers.ts";
export { ClusterFacts } from "./cluster-facts.ts";
export { type ClusterView, openClusterView } from "./cluster-view.ts";
export { volumeKey } from "./history.ts";
export { type HistoryParcel, readParcel } from "./history-parcel.ts";
export { HistoryShelf } from "./history-shelf.ts";
export type { LinkCheck } from "./link-check.ts";
export { followLog } from "./live-log.ts";
export { type Frame, Observer } from "./observer.ts";
export { isRunSince, Publisher } from "./publisher.ts";
export { type FileWanted, storedFile, storedJson, unpacked } from "./stored-file.ts";
export { idIn, united, type Watched } from "./united.ts";
