import { snapshotPlaceAnnotation } from "../../api/index.ts";

/** What is remembered of a snapshot beside what its object tells: how the store lists it. */
export interface SnapshotPlace {
  readonly location: string;
  readonly volumeID: string;
  readonly volumeType: string;
  readonly volumeAZ?: string;
  readonly volumeIOPS?: number;
  /** Who tells how far it is: the plugin in its own object, the plugin when asked, or nobody. */
  readonly way: Way;
}

/** The three ways of progress. */
export type Way = "own" | "asked" | "silent";

/** Where an object keeps it, for a run that begins again. */
export const placeAnnotation = snapshotPlaceAnnotation;

/** Reads it back; undefined when it is not there or not ours. */
export function readPlace(
  annotations: Readonly<Record<string, string>> | undefined,
): SnapshotPlace | undefined {
  const text = annotations?.[placeAnnotation];
  if (text === undefined) return undefined;
  try {
    const place = JSON.parse(text) as SnapshotPlace; // each field is looked at in the next line
    const texts = [place.location, place.volumeID, place.volumeType];
    if (texts.some((one) => typeof one !== "string")) return undefined;
    return place.way === "own" || place.way === "asked" || place.way === "silent" ? place : undefined;
  } catch {
    return undefined; // somebody else's annotation
  }
}
