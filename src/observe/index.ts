// Any custom resource, ours or upstream's, becomes an operation; relations, stall causes, history of finished runs.
// Drawing it (cli, ui) and doing the work (engines) do not live here.
export { type AnnouncerOptions, announce } from "./announcer.ts";
export type { About, Choice, ClusterState, Curve, EventLine, Remark, Remarks } from "./answers.ts";
export { type ClusterView, type ClusterViewOptions, openClusterView } from "./cluster-view.ts";
export { HistoryShelf, type HistoryShelfOptions } from "./history-shelf.ts";
export type { LinkCheck } from "./link-check.ts";
export { type Frame, Observer, type ObserverOptions } from "./observer.ts";
export { Publisher, type PublisherOptions } from "./publisher.ts";
export { type FileWanted, storedFile, storedJson, storedText, unpacked } from "./stored-file.ts";
export { Surroundings, type SurroundingsOptions } from "./surroundings.ts";
export { idIn, splitId, united, type Watched } from "./united.ts";
