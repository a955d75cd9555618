import type { KnownMarker } from "../../store/index.ts";

/** What is known of a location and its store when the location is checked. */
export interface MarkerFacts {
  readonly location: string;
  /** Where the store is, for messages. */
  readonly place: string;
  /** What the cluster remembers. */
  readonly known: KnownMarker | undefined;
  /** Whether the store has the marker that is known. */
  readonly isThere: boolean;
  /** Some marker of the store. */
  readonly found: string | undefined;
  readonly holdsBackups: boolean;
  /** Ended Backups of the cluster that say that they are in this location. */
  readonly backups: number;
  readonly isReadOnly: boolean;
  /** Somebody said that the store is the right one whatever it holds. */
  readonly isAdopted: boolean;
}

/** What to do about a location's marker. */
export type MarkerStep =
  /** Everything is as it was. */
  | { readonly do: "keep" }
  | { readonly do: "remember"; readonly id: string }
  /** The store is used for the first time, or was written by others: it gets a marker. */
  | { readonly do: "mark" }
  /** The store may only be read, and has no marker. */
  | { readonly do: "pass" }
  | { readonly do: "refuse"; readonly why: "replaced" | "empty" };

/** Tells the store of a location from an empty folder below a mount point, and from another store. */
export function planMarker(facts: MarkerFacts): MarkerStep {
  const { known, isThere, found, isReadOnly } = facts;
  if (known && isThere) return known.isHere ? { do: "keep" } : { do: "remember", id: known.id };
  if (!facts.isAdopted) {
    if (known?.isHere) return { do: "refuse", why: "replaced" };
    // A location that was pointed elsewhere may begin anew; one of which nothing is known cannot have lost everything unseen.
    if (!known && found === undefined && !facts.holdsBackups && facts.backups > 0)
      return { do: "refuse", why: "empty" };
  }
  if (found !== undefined) return { do: "remember", id: found };
  return isReadOnly ? { do: "pass" } : { do: "mark" };
}

/** Whether the bucket may be made: only for a location that never had one, or when somebody said so. */
export function mayMakeBucket(facts: Omit<MarkerFacts, "isThere" | "found" | "holdsBackups">): boolean {
  if (facts.isReadOnly) return false;
  return facts.isAdopted || (!facts.known?.isHere && (facts.known !== undefined || facts.backups === 0));
}
