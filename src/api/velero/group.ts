/** Group and version of everything except data movement. */
export const v1 = { group: "velero.io", version: "v1" } as const;

/** Group and version of data movement. */
export const v2alpha1 = { group: "velero.io", version: "v2alpha1" } as const;
