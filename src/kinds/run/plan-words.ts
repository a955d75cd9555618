import { formatDuration } from "../../progress/index.ts";
import type { PlannedItem, PlannedTime, Verdict } from "./restore-plan.ts";

/** What each verdict means. */
export const verdictWords: Readonly<Record<Verdict, string>> = {
  create: "to be created",
  update: "to be changed to what the backup has",
  skip: "left alone: as in the backup already, or not wanted back",
  conflict: "there with another content, and left as it is",
  refused: "refused",
  unknown: "not known: you may not ask",
};

/** Why an item gets its verdict, and whether admission was asked. */
export function reasonOf({ reason, notAsked }: PlannedItem): string {
  return [reason, notAsked === undefined ? undefined : `not asked: ${notAsked}`]
    .filter((each) => each !== undefined)
    .join("; ");
}

/** How long a restore should take, and how that is known. */
export function wholeTimeWords(time: PlannedTime | undefined): string {
  if (time === undefined) return "not known: there is nothing to learn from";
  if (time.from === "backup")
    return `the backup took ${formatDuration(time.seconds)}; no restore was seen yet`;
  return `about ${formatDuration(time.seconds)}${rangeOf(time)}, as restores before`;
}

/** The same for one volume. */
export function volumeTimeWords(time: PlannedTime): string {
  if (time.from === "backup") return `backed up in ${formatDuration(time.seconds)}`;
  return `${formatDuration(time.seconds)}${rangeOf(time)}`;
}

function rangeOf({ low, high }: PlannedTime): string {
  if (low === undefined || high === undefined) return "";
  return ` (${formatDuration(low)} to ${formatDuration(high)})`;
}
