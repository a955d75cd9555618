import { type KubeObject, stepAnnotation } from "../../api/index.ts";

/** What the copy of a volume is at, beside moving bytes; in the order in which they come. */
export const volumeSteps = ["snapshot", "claim", "pod", "repository", "slot", "rebind", "cleanup"] as const;

/** One of the closed list of steps. */
export type VolumeStep = (typeof volumeSteps)[number];

/** What a copy is at, since when, and for what or whom it waits. */
export interface StepNote {
  readonly step: VolumeStep;
  /** Epoch ms. */
  readonly since: number;
  readonly message: string;
}

const limitChars = 400;

/** The metadata that says what a copy is at, or that it moves bytes: upstream's status has no place for it. */
export function writeStep(note: StepNote | undefined) {
  const text = note && JSON.stringify({ ...note, message: note.message.slice(0, limitChars) });
  return { annotations: { [stepAnnotation]: text ?? null } };
}

/** What a copy is at, as its agent says; upstream's agents never say it. */
export function readStep({ metadata }: Pick<KubeObject, "metadata">): StepNote | undefined {
  const text = metadata.annotations?.[stepAnnotation];
  if (text === undefined) return undefined;
  try {
    const said = JSON.parse(text) as Readonly<Record<string, unknown>> | null; // checked below
    const step = volumeSteps.find((known) => known === said?.["step"]);
    const { since, message } = said ?? {};
    if (step === undefined || typeof message !== "string" || message === "") return undefined;
    return { step, since: typeof since === "number" ? since : 0, message: message.slice(0, limitChars) };
  } catch {
    return undefined; // not written by an agent of ours
  }
}
