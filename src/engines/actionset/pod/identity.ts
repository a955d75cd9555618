/** Which execution of which phase something belongs to. */
export interface Identity {
  /** The ActionSet's. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** The place of the action in its ActionSet. */
  readonly action: number;
  /** The place of the phase in its action, or that it is the deferred one. */
  readonly phase: number | "defer";
}

/** Labels by which a later process finds again what an earlier one made. */
export const labels = {
  set: "headway.dev/actionset-uid",
  namespace: "headway.dev/actionset-namespace",
  action: "headway.dev/action",
  phase: "headway.dev/phase",
  part: "headway.dev/part",
} as const;

/** The labels of what belongs to an execution; functions over many things name each part. */
export function labelsOf(identity: Identity, part = ""): Record<string, string> {
  return {
    [labels.set]: identity.uid,
    [labels.namespace]: identity.namespace,
    [labels.action]: String(identity.action),
    [labels.phase]: String(identity.phase),
    ...(part !== "" && { [labels.part]: part }),
  };
}

/** Labels as a query. */
export function selectorOf(wanted: Readonly<Record<string, string>>): string {
  return Object.entries(wanted)
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
}
