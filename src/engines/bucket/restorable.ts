/** Which programs can restore a backup. */
export interface Restorable {
  readonly headway: boolean;
  /** The Velero releases that can, where any can; without `until` all later ones too. */
  readonly velero?: { readonly from: string; readonly until?: string };
}

/** What of a backup decides it. */
export interface RestorableBy {
  readonly isLost: boolean;
  readonly hasKopia: boolean;
  readonly hasRestic: boolean;
  readonly hasMoved: boolean;
}

/** Who can restore a backup with these contents. The oldest release that is told is 1.9: what came before is not known here. */
export function restorableBy({ isLost, hasKopia, hasRestic, hasMoved }: RestorableBy): Restorable {
  if (isLost) return { headway: false };
  const from = hasMoved ? "1.12" : hasKopia ? "1.10" : "1.9";
  return { headway: true, velero: { from, ...(hasRestic && { until: "1.18" }) } };
}

/** The same in words. */
export function restorableWords({ headway, velero }: Restorable): string {
  if (!headway) return "nobody";
  if (!velero) return "Headway";
  return velero.until === undefined
    ? `Headway, Velero ${velero.from} and later`
    : `Headway, Velero ${velero.from} to ${velero.until}`;
}
