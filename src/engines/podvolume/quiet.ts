import { isVolumeEnded } from "../../kinds/index.ts";

/** One volume's copy, as the one who waits for it sees it. */
export interface Waited {
  readonly phase: string;
  /** Epoch ms at which anything of it last changed. */
  readonly changedAt: number;
}

/**
 * Which of the copies are given up: those of a group in which nothing has changed for the limit. One that waits for a free
 * slot behind the work of others is not given up while its node's agent lives.
 */
export function givenUp<K>(
  all: ReadonlyMap<K, Waited & { readonly agentLives: boolean }>,
  limitMs: number,
  nowMs: number,
): readonly K[] {
  const open = [...all].filter(([, { phase }]) => !isVolumeEnded({ phase }));
  const newest = Math.max(...[...all.values()].map(({ changedAt }) => changedAt));
  if (nowMs - newest < limitMs) return [];
  return open
    .filter(([, { phase, agentLives }]) => !(phase === "Prepared" && agentLives))
    .map(([key]) => key);
}
